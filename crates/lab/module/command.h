/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text that describes a modelled disk: words `key=value` between single spaces, as README.md
 * lists them.
 *
 * Everything is bounded and checked; an error names the wrong key.  Nothing here calls the
 * kernel: check.c compiles this file as a user program.
 */
#ifndef STRIPEWISE_COMMAND_H
#define STRIPEWISE_COMMAND_H

#include "model.h"

/* The longest command: four curves of 256 points and two spreads are about 28 KB. */
#define SWD_COMMAND_BYTES_MAX 65536
#define SWD_DISKS_MAX 256
/* "swd" and a number below SWD_DISKS_MAX. */
#define SWD_NAME_BYTES 8
/* The largest request of any disk: somewhat more than ATA's 65535 sectors. */
#define SWD_REQUEST_BYTES_MAX (1ULL << 25)

enum swd_store {
	/* All data is stored, up to a limit. */
	SWD_STORE_ALL,
	/* The beginning and the end of the disk are stored, the rest is discarded. */
	SWD_STORE_EDGES,
};

struct swd_settings {
	char name[SWD_NAME_BYTES];
	u64 size_bytes;
	u64 logical_block_bytes;
	u64 physical_block_bytes;
	u64 queue_depth;
	u64 request_bytes_max;
	u64 rotational;
	enum swd_store store;
	u64 store_bytes;
	/* Whether a read of discarded data returns zeroes. */
	u64 store_blank_zeroes;
	struct swd_model_settings model;
};

/* An error in a command: the wrong word and the reason. */
struct swd_problem {
	char word[32];
	const char *why;
};

struct swd_number {
	const char *key;
	size_t offset;
	u64 least;
	u64 most;
	bool optional;
};

#define SWD_TIME_NS_MAX 1000000000000ULL
#define SWD_RATE_MAX 10000000000000ULL
#define SWD_BYTES_MAX (1ULL << 60)

#define SWD_AT(field) offsetof(struct swd_settings, field)

static const struct swd_number swd_numbers[] = {
	{ "size_bytes", SWD_AT(size_bytes), 1 << 20, SWD_BYTES_MAX, false },
	{ "logical_block_bytes", SWD_AT(logical_block_bytes), 512, 4096, false },
	{ "physical_block_bytes", SWD_AT(physical_block_bytes), 512, 4096, false },
	{ "queue_depth", SWD_AT(queue_depth), 1, 10240, false },
	{ "request_bytes_max", SWD_AT(request_bytes_max), 4096, SWD_REQUEST_BYTES_MAX, false },
	{ "rotational", SWD_AT(rotational), 0, 1, false },
	{ "store_bytes", SWD_AT(store_bytes), 0, SWD_BYTES_MAX, false },
	{ "store_blank_zeroes", SWD_AT(store_blank_zeroes), 0, 1, false },
	{ "link_command_ns", SWD_AT(model.link_command_ns), 0, SWD_TIME_NS_MAX, false },
	{ "link_full_duplex", SWD_AT(model.link_full_duplex), 0, 1, false },
	{ "link_read_bytes_per_s", SWD_AT(model.direction[0].bytes_per_s), 0, SWD_RATE_MAX, false },
	{ "link_write_bytes_per_s", SWD_AT(model.direction[1].bytes_per_s), 0, SWD_RATE_MAX, false },
	{ "cache_volatile", SWD_AT(model.cache_volatile), 0, 1, false },
	{ "cache_flush_ns", SWD_AT(model.cache_flush_ns), 0, SWD_TIME_NS_MAX, false },
	{ "read_servers", SWD_AT(model.direction[0].servers), 1, SWD_SERVERS_MAX, false },
	{ "write_servers", SWD_AT(model.direction[1].servers), 1, SWD_SERVERS_MAX, false },
	{ "drain_fast_bytes", SWD_AT(model.drain_fast_bytes), 0, SWD_BYTES_MAX, true },
	{ "drain_random_bytes_per_s", SWD_AT(model.drain_random_bytes_per_s), 1, SWD_RATE_MAX, true },
	{ "drain_sequential_bytes_per_s", SWD_AT(model.drain_sequential_bytes_per_s), 1, SWD_RATE_MAX,
	  true },
	{ "drain_buffer_bytes", SWD_AT(model.drain_buffer_bytes), 0, SWD_BYTES_MAX, true },
};

#define SWD_NUMBERS (sizeof(swd_numbers) / sizeof(swd_numbers[0]))

static inline u64 *swd_number_at(struct swd_settings *settings, size_t index)
{
	return (u64 *)((char *)settings + swd_numbers[index].offset);
}

/* Takes the text up to `end` off the front of *rest; all of it if there is no `end`. */
static inline char *swd_take(char **rest, char end)
{
	char *word = *rest, *at;

	if (!word)
		return NULL;
	at = strchr(word, end);
	if (at)
		*at++ = 0;
	*rest = at;
	return word;
}

/* Reads a decimal number without sign or leading zeroes. */
static inline bool swd_decimal(const char *text, u64 *value)
{
	*value = 0;
	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(*value, 10ULL, value) ||
		    __builtin_add_overflow(*value, (u64)(*text - '0'), value))
			return false;
	}
	return true;
}

/* Reads the 32 hexadecimal digits of a seed. */
static inline bool swd_seed(const char *text, u64 seed[2])
{
	int index;

	if (strlen(text) != 32)
		return false;
	for (index = 0; index < 32; index++) {
		char c = text[index];
		u64 digit;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		else
			return false;
		seed[1 - index / 16] = seed[1 - index / 16] << 4 | digit;
	}
	return true;
}

/* Reads "swd" and a number. */
static inline bool swd_name(const char *text, char name[SWD_NAME_BYTES])
{
	u64 number;

	if (strlen(text) >= SWD_NAME_BYTES || strncmp(text, "swd", 3) ||
	    !swd_decimal(text + 3, &number) || number >= SWD_DISKS_MAX)
		return false;
	memset(name, 0, SWD_NAME_BYTES);
	memcpy(name, text, strlen(text));
	return true;
}

/* Reads "size:time,size:time,..." with sizes in bytes that rise and times in nanoseconds. */
static inline bool swd_read_curve(char *text, struct swd_curve *curve)
{
	char *point, *size;

	while ((point = swd_take(&text, ','))) {
		struct swd_point *next = &curve->points[curve->count];

		if (curve->count == SWD_POINTS_MAX)
			return false;
		size = swd_take(&point, ':');
		if (!point || !swd_decimal(size, &next->size_bytes) ||
		    !swd_decimal(point, &next->time_ns) || next->size_bytes > 1 << 30 ||
		    next->time_ns > SWD_TIME_NS_MAX ||
		    (curve->count && next->size_bytes <= next[-1].size_bytes))
			return false;
		curve->count++;
	}
	return curve->count > 0;
}

/* Reads the non-decreasing factors of a spread. */
static inline bool swd_read_spread(char *text, struct swd_direction_settings *settings)
{
	char *factor;
	u64 value;

	while ((factor = swd_take(&text, ','))) {
		if (settings->spread_count > SWD_SPREAD_ENTRIES || !swd_decimal(factor, &value) ||
		    value > ~(u32)0 ||
		    (settings->spread_count && value < settings->spread[settings->spread_count - 1]))
			return false;
		settings->spread[settings->spread_count++] = (u32)value;
	}
	return settings->spread_count == SWD_SPREAD_ENTRIES + 1;
}

/* Reads the value of a key that is not a number.  Returns the problem, or NULL. */
static inline const char *swd_read_other(struct swd_settings *settings, const char *key, char *value)
{
	struct swd_direction_settings *read = &settings->model.direction[SWD_READ];
	struct swd_direction_settings *write = &settings->model.direction[SWD_WRITE];
	const char *curve = "is not `bytes:ns,...` with rising sizes up to 1 GiB, times up to 1000 s";
	const char *spread = "is not 257 rising factors";

	if (!strcmp(key, "name"))
		return swd_name(value, settings->name) ? NULL : "is not swd0 to swd255";
	if (!strcmp(key, "seed"))
		return swd_seed(value, settings->model.seed) ? NULL : "is not 32 hexadecimal digits";
	if (!strcmp(key, "store")) {
		settings->store = strcmp(value, "all") ? SWD_STORE_EDGES : SWD_STORE_ALL;
		return !strcmp(value, "all") || !strcmp(value, "edges") ? NULL :
									  "is not all or edges";
	}
	if (!strcmp(key, "read_random"))
		return swd_read_curve(value, &read->random) ? NULL : curve;
	if (!strcmp(key, "read_sequential"))
		return swd_read_curve(value, &read->sequential) ? NULL : curve;
	if (!strcmp(key, "write_random"))
		return swd_read_curve(value, &write->random) ? NULL : curve;
	if (!strcmp(key, "write_sequential"))
		return swd_read_curve(value, &write->sequential) ? NULL : curve;
	if (!strcmp(key, "read_spread"))
		return swd_read_spread(value, read) ? NULL : spread;
	if (!strcmp(key, "write_spread"))
		return swd_read_spread(value, write) ? NULL : spread;
	return "is an unknown key";
}

/* The keys that are not numbers; the first five are required. */
static const char *const swd_others[] = {
	"name",		   "seed",	       "store",	      "read_random", "write_random",
	"read_sequential", "write_sequential", "read_spread", "write_spread",
};

#define SWD_OTHERS (sizeof(swd_others) / sizeof(swd_others[0]))
#define SWD_OTHERS_NEEDED 5

/* Returns the index of a key among all keys; one past the last if it is unknown. */
static inline size_t swd_key(const char *key)
{
	size_t index;

	for (index = 0; index < SWD_NUMBERS; index++)
		if (!strcmp(key, swd_numbers[index].key))
			return index;
	for (; index < SWD_NUMBERS + SWD_OTHERS; index++)
		if (!strcmp(key, swd_others[index - SWD_NUMBERS]))
			return index;
	return index;
}

static inline bool swd_wrong(struct swd_problem *problem, const char *word, const char *why)
{
	size_t index;

	memset(problem->word, 0, sizeof(problem->word));
	for (index = 0; word[index] && index < sizeof(problem->word) - 1; index++)
		problem->word[index] = word[index] > ' ' && word[index] < 127 ? word[index] : '?';
	problem->why = why;
	return false;
}

/* Checks the constraints between keys. */
static inline bool swd_check(struct swd_settings *settings, u64 seen, struct swd_problem *problem)
{
	u64 logical = settings->logical_block_bytes, physical = settings->physical_block_bytes;
	size_t index, drains = 0;

	for (index = 0; index < SWD_NUMBERS + SWD_OTHERS_NEEDED; index++) {
		bool is_optional = index < SWD_NUMBERS && swd_numbers[index].optional;
		bool is_there = seen >> index & 1;

		drains += is_optional && is_there;
		if (!is_optional && !is_there)
			return swd_wrong(problem,
					 index < SWD_NUMBERS ? swd_numbers[index].key :
							       swd_others[index - SWD_NUMBERS],
					 "is missing");
	}
	if (drains != 0 && drains != 4)
		return swd_wrong(problem, "drain", "needs all four of its keys");
	if (logical & (logical - 1))
		return swd_wrong(problem, "logical_block_bytes", "is not a power of two");
	if (physical & (physical - 1) || physical < logical)
		return swd_wrong(problem, "physical_block_bytes",
				 "is not a power of two, or less than logical_block_bytes");
	if (settings->size_bytes % 4096)
		return swd_wrong(problem, "size_bytes", "is not a multiple of 4096");
	if (settings->request_bytes_max % 4096)
		return swd_wrong(problem, "request_bytes_max", "is not a multiple of 4096");
	if (settings->store_bytes % 4096)
		return swd_wrong(problem, "store_bytes", "is not a multiple of 4096");
	return true;
}

/*
 * Reads the settings of a disk; modifies `text`.  Returns whether they are complete and valid;
 * if not, `problem` has the reason.  `settings` must be all zeroes.
 */
static inline bool swd_read_settings(char *text, struct swd_settings *settings,
				     struct swd_problem *problem)
{
	u64 seen = 0;
	char *value, *key;

	while ((value = swd_take(&text, ' '))) {
		const char *why = NULL;
		size_t index;

		key = swd_take(&value, '=');
		if (!value)
			return swd_wrong(problem, key, "is not `key=value`");
		index = swd_key(key);
		if (seen >> index & 1)
			return swd_wrong(problem, key, "is given twice");
		if (index < SWD_NUMBERS) {
			u64 *number = swd_number_at(settings, index);

			if (!swd_decimal(value, number))
				why = "is not a whole number";
			else if (*number < swd_numbers[index].least)
				why = "is too small";
			else if (*number > swd_numbers[index].most)
				why = "is too large";
		} else {
			why = swd_read_other(settings, key, value);
		}
		if (why)
			return swd_wrong(problem, key, why);
		seen |= 1ULL << index;
	}
	return swd_check(settings, seen, problem);
}

#endif
