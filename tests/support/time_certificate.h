#ifndef SCCL_TESTS_SUPPORT_TIME_CERTIFICATE_H
#define SCCL_TESTS_SUPPORT_TIME_CERTIFICATE_H

/* Certificates of bounds on time, read and checked. Each test program is one file, so all is inline. */

#include "core/base/error.h"
#include "core/base/json.h"
#include "prove/check.h"
#include "prove/time_proof.h"

#include <stdio.h>
#include <stdlib.h>

enum { CERTIFICATE_WHY = 400 };

/* Does it hold? Otherwise WHY is one line; it begins with "file: " if it cannot be read. */
static inline bool certificate_holds(const char *text, char why[CERTIFICATE_WHY])
{
	struct error e = {0};
	struct json_document *d = json_document_parse(text, "test", &e);
	struct time_proof *p = d ? time_proof_read(d, &e) : NULL;
	struct check_report r = {0};

	if (!p || !time_proof_check(p, check_budget, &r, &e))
		snprintf(why, CERTIFICATE_WHY, "file: %.380s", e.what);
	else
		snprintf(why, CERTIFICATE_WHY, "%s", r.fault);
	bool ok = p && r.holds;
	time_proof_free(p);
	json_document_close(d);
	return ok;
}

/* The same of a certificate that a test has in parts. */
static inline bool holds(json_t *root, char why[CERTIFICATE_WHY])
{
	char *text = json_dumps(root, 0);
	bool ok = certificate_holds(text, why);

	free(text);
	return ok;
}

#endif
