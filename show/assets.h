#ifndef SCCL_SHOW_ASSETS_H
#define SCCL_SHOW_ASSETS_H

/* page.css and page.js as bytes; show/embed.py writes them. */

#include <stddef.h>

extern const unsigned char page_css[], page_js[];
extern const size_t page_css_length, page_js_length;

#endif
