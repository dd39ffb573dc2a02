/*
 * Keyed hashes in the construction of HMAC (RFC 2104) with SHA-256, except that the outer hash takes the inner digest
 * in hexadecimal. The message is ABOUT, the version of the program, and the text.
 */

#include "synth/frontier/signature.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "build_config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool signing_folder(struct text *path)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		text_add(path, "%s/sccl-synth", state);
	else if (home && *home == '/')
		text_add(path, "%s/.local/state/sccl-synth", home);
	return path->length > 0;
}

static bool is_private(int file, off_t *size)
{
	struct stat s;
	bool ok = fstat(file, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & 077) == 0 && s.st_nlink == 1;

	*size = ok ? s.st_size : 0;
	return ok;
}

/* Several searches may find no key at the same time: one of them makes it, under a lock. */
static bool read_or_make(int file, unsigned char *bytes, size_t n)
{
	off_t size;

	if (flock(file, LOCK_EX) != 0 || !is_private(file, &size))
		return false;
	if (size == (off_t)n)
		return pread(file, bytes, n, 0) == (ssize_t)n;
	return getrandom(bytes, n, 0) == (ssize_t)n && ftruncate(file, 0) == 0 && pwrite(file, bytes, n, 0) == (ssize_t)n &&
	       fsync(file) == 0;
}

struct signing_key signing_key_open(void)
{
	struct signing_key key = {0};
	struct error ignored = {0};
	struct text path = {0};
	int file = -1;

	if (signing_folder(&path) && folder_make(path.bytes, &ignored)) {
		text_add(&path, "/signing.key");
		mode_t mask = umask(077);
		file = file_open(path.bytes, O_RDWR | O_CREAT | O_NOFOLLOW, &ignored);
		umask(mask);
	}
	key.known = file >= 0 && read_or_make(file, key.bytes, sizeof key.bytes);
	if (file >= 0)
		close(file);
	text_free(&path);
	return key;
}

/* The beginning of one of the two hashes of HMAC: the padded key. */
static struct sha256 keyed(const struct signing_key *key, unsigned char pad)
{
	struct sha256 d = sha256_begin();
	unsigned char block[64];

	memset(block, pad, sizeof block);
	for (size_t i = 0; i < sizeof key->bytes; i++)
		block[i] ^= key->bytes[i];
	sha256_add(&d, block, sizeof block);
	return d;
}

bool signature_of(const struct signing_key *key, const char *about, const char *text, size_t n, char hex[65])
{
	static const char version[] = "\n" SCCL_VERSION "\n";

	hex[0] = '\0';
	if (!key->known)
		return false;
	struct sha256 inner = keyed(key, 0x36), outer = keyed(key, 0x5c);
	sha256_add(&inner, about, strlen(about));
	sha256_add(&inner, version, sizeof version - 1);
	sha256_add(&inner, text, n);
	sha256_end(&inner, hex);
	sha256_add(&outer, hex, 64);
	sha256_end(&outer, hex);
	return true;
}
