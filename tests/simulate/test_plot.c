#include "tests/support/by_hand.h"
#include "core/base/text.h"
#include "simulate/plot.h"

TestSuite(plot, .description = "pictures of curves");

static size_t count(const char *text, const char *word)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

Test(plot, has_a_curve_a_file_in_each_panel_and_names_them)
{
	static const int64_t sizes[] = {1024, 1048576};
	static const char *const names[] = {"one", "a<b>&\"c\"\n"};
	static const double times[] = {1, 10, 2, 5}, rates[] = {1, 10, 2, 0};
	const struct panel panels[] = {{"time", "us", times}, {"busbw", "GB/s", rates}};
	struct text svg = {0};
	plot_write(&(struct plot){"<title>", 2, 2, 2, sizes, names, panels}, &svg);
	cr_expect(eq(sz, count(svg.bytes, "<polyline"), 4));
	cr_expect(eq(sz, count(svg.bytes, "<circle"), 7), "a value of 0 has no logarithm");
	cr_expect(eq(sz, count(svg.bytes, "<text"), count(svg.bytes, "</text>")));
	cr_expect(ne(ptr, strstr(svg.bytes, "a&lt;b&gt;&amp;&quot;c&quot; </text>"), NULL));
	cr_expect(ne(ptr, strstr(svg.bytes, "&lt;title&gt;"), NULL));
	cr_expect(ne(ptr, strstr(svg.bytes, ">1M</text>"), NULL));
	cr_expect(eq(ptr, strstr(svg.bytes, "nan"), NULL));
	text_free(&svg);
}

Test(plot, names_are_any_bytes)
{
	/* A byte that begins nothing, a letter cut short, one too long, half of a pair, one past the last; then letters of 2 to 4 bytes. */
	static const char *const names[] = {"\377|\316|\300\257|\355\240\200|\364\220\200\200|\357\277\277|\316\273\342\202\254\360\237\230\200"};
	static const int64_t sizes[] = {1000};
	static const double same[] = {5};
	const struct panel panel = {"time", "us", same};
	struct text svg = {0};
	plot_write(&(struct plot){"t", 1, 1, 1, sizes, names, &panel}, &svg);
	cr_expect(ne(ptr, strstr(svg.bytes, "> | |  |   |    |   |\316\273\342\202\254\360\237\230\200</text>"), NULL));
	text_free(&svg);
}

Test(plot, takes_one_size_and_values_that_are_all_alike_or_none)
{
	static const int64_t sizes[] = {1000};
	static const char *const names[] = {"one"};
	static const double same[] = {1}, none[] = {0};
	const struct panel panels[] = {{"time", "us", same}, {"busbw", "GB/s", none}};
	struct text svg = {0};
	plot_write(&(struct plot){"t", 1, 1, 2, sizes, names, panels}, &svg);
	cr_expect(eq(ptr, strstr(svg.bytes, "nan"), NULL));
	cr_expect(eq(ptr, strstr(svg.bytes, "inf"), NULL));
	cr_expect(eq(sz, count(svg.bytes, "<circle"), 1));
	text_free(&svg);
}

Test(plot, axes_go_over_whole_decades_and_points_lie_by_logarithms)
{
	static const int64_t sizes[] = {1000, 10000, 100000};
	static const char *const names[] = {"one"};
	static const double values[] = {3, 10, 40};
	const struct panel panel = {"time", "us", values};
	struct text svg = {0};
	plot_write(&(struct plot){"t", 3, 1, 1, sizes, names, &panel}, &svg);
	cr_expect(ne(ptr, strstr(svg.bytes, "\">1</text>"), NULL));
	cr_expect(ne(ptr, strstr(svg.bytes, "\">10</text>"), NULL));
	cr_expect(ne(ptr, strstr(svg.bytes, "\">100</text>"), NULL));
	/* The panel is from 70 to 440 and from 270 up to 70: two decades each way. */
	cr_expect(ne(ptr, strstr(svg.bytes, "<circle cx=\"70.0\" cy=\"222.3\""), NULL), "log 3 = 0.477");
	cr_expect(ne(ptr, strstr(svg.bytes, "<circle cx=\"255.0\" cy=\"170.0\""), NULL));
	cr_expect(ne(ptr, strstr(svg.bytes, "<circle cx=\"440.0\" cy=\"109.8\""), NULL), "log 40 = 1.602");
	text_free(&svg);
}

Test(plot, bytes_are_written_as_people_do)
{
	char text[BYTES_TEXT];
	cr_expect(eq(str, (char *)bytes_text(1, text), "1"));
	cr_expect(eq(str, (char *)bytes_text(1000, text), "1000"));
	cr_expect(eq(str, (char *)bytes_text(1536, text), "1536"));
	cr_expect(eq(str, (char *)bytes_text(98304000, text), "96000K"));
	cr_expect(eq(str, (char *)bytes_text((int64_t)1 << 40, text), "1024G"));
}
