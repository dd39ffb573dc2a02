#include "core/base/sha256.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(sha256, .description = "SHA-256");

/* Of FIPS 180-4's examples, and a million times "a". */
Test(sha256, is_that_of_the_standard)
{
	static const struct {
		const char *text, *digest;
	} cases[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	char hex[65];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sha256_of(cases[i].text, strlen(cases[i].text), hex);
		cr_expect(eq(str, hex, (char *)cases[i].digest));
	}
	char *many = malloc(1000000);
	memset(many, 'a', 1000000);
	sha256_of(many, 1000000, hex);
	cr_expect(eq(str, hex, (char *)"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
	free(many);
}

Test(sha256, does_not_depend_on_how_the_bytes_come)
{
	char bytes[300], whole[65], parts[65];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 37);
	sha256_of(bytes, sizeof bytes, whole);
	for (size_t first = 0; first <= sizeof bytes; first++) {
		struct sha256 d = sha256_begin();
		sha256_add(&d, bytes, first);
		sha256_add(&d, bytes + first, sizeof bytes - first);
		sha256_end(&d, parts);
		cr_expect(eq(str, parts, whole));
	}
}
