/* Checked proofs are recorded as empty files named by a signature of their content. */

#include "cli/commands/checked_proofs.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "prove/proof.h"
#include "synth/frontier/signature.h"

#include <unistd.h>

/* The path of the record: an empty file whose name is the signature. The proof as read is signed, not its file, which
 * may have changed since. False: signing is not possible. */
static bool note_of(const struct proof *p, struct text *path)
{
	struct signing_key key = signing_key_open();
	struct text content = {0};
	char hex[65];

	proof_write(p, &content);
	bool ok = signing_folder(path) && signature_of(&key, "proof", content.bytes, content.length, hex);
	if (ok)
		text_add(path, "/proofs/%s", hex);
	text_free(&content);
	return ok;
}

bool checked_proofs_has(const struct proof *p)
{
	struct text path = {0};
	bool before = note_of(p, &path) && access(path.bytes, F_OK) == 0;

	text_free(&path);
	return before;
}

void checked_proofs_add(const struct proof *p)
{
	struct text path = {0};
	struct error ignored = {0};

	if (note_of(p, &path))
		file_write(path.bytes, "", 0, &ignored);
	text_free(&path);
}
