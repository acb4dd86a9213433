/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The service model of a modelled disk: computes the completion time of a request on arrival.
 *
 *   request --> one of c parallel servers --> link (per command + bytes / rate) --> done
 *                      ^
 *                      | programs of acknowledged writes, if the drain is modelled
 *
 * The model is that of Stripewise's simulator (crates/sim/src/device/calibrated.rs), number for
 * number: a test runs both on the same arrivals and compares every completion time.  Everything is
 * known when a request arrives, so a request needs one timer.
 *
 * Nothing here calls the kernel: check.c compiles this file as a user program.  Times are
 * nanoseconds, positions and lengths sectors of 512 bytes.  All arithmetic is unsigned and
 * saturates or wraps; no divisor can be 0.
 */
#ifndef STRIPEWISE_MODEL_H
#define STRIPEWISE_MODEL_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
#endif

/* The generator's state has 128 bits, a type that compilers offer on 64-bit machines only. */
#ifndef __SIZEOF_INT128__
#error "modelled disks need a 64-bit machine"
#endif
typedef unsigned __int128 swd_u128;

#define SWD_POINTS_MAX 256
#define SWD_SERVERS_MAX 1024
/* Entries of the spread, and one more: draws are interpolated between neighbours. */
#define SWD_SPREAD_ENTRIES 256
/* How many sequential streams a device follows at once. */
#define SWD_STREAMS 16
/* The length of a run of writes from which on it drains as a stream; drain.rs says why. */
#define SWD_ERASE_UNIT (4ULL << 20)
/* How many sizes have cached times; sizes repeat, and divisions are slow. */
#define SWD_REMEMBERED 16
#define SWD_NS_PER_S 1000000000ULL
/* Two hours: no request takes longer. */
#define SWD_TIME_MAX_NS (1ULL << 43)
/* How long the disk must be idle of writes before the fast area empties. */
#define SWD_IDLE_AFTER_NS 100000000ULL

enum swd_direction { SWD_READ, SWD_WRITE };

struct swd_point {
	u64 size_bytes;
	u64 time_ns;
};

/* Times by size, sizes rising; straight lines between the points. */
struct swd_curve {
	u32 count;
	struct swd_point points[SWD_POINTS_MAX];
};

struct swd_direction_settings {
	u64 servers;
	/* The link's bandwidth; 0: unlimited. */
	u64 bytes_per_s;
	struct swd_curve random;
	/* Without points: as random. */
	struct swd_curve sequential;
	/* Factors at evenly spaced quantiles in 1/65536; 0 or SWD_SPREAD_ENTRIES + 1 of them. */
	u32 spread_count;
	u32 spread[SWD_SPREAD_ENTRIES + 1];
};

struct swd_model_settings {
	u64 link_command_ns;
	u64 link_full_duplex;
	u64 cache_volatile;
	u64 cache_flush_ns;
	/* The drain is modelled if its rates are not 0. */
	u64 drain_fast_bytes;
	u64 drain_random_bytes_per_s;
	u64 drain_sequential_bytes_per_s;
	u64 drain_buffer_bytes;
	/* The state of the random generator, low half first. */
	u64 seed[2];
	struct swd_direction_settings direction[2];
};

struct swd_times {
	u64 sectors;
	u64 random_ns;
	u64 sequential_ns;
	u64 transfer_ns;
};

struct swd_direction_state {
	/* When each server is free. */
	u64 servers[SWD_SERVERS_MAX];
	/* The ends of the tracked streams, and the one continued last. */
	u64 stream_ends[SWD_STREAMS];
	/* Where each begins. */
	u64 stream_starts[SWD_STREAMS];
	u32 stream_next;
	u32 stream_latest;
	struct swd_times remembered[SWD_REMEMBERED];
};

struct swd_model {
	const struct swd_model_settings *settings;
	struct swd_direction_state direction[2];
	u64 link_free[2];
	swd_u128 random;
	bool dirty;
	/* When the latest flush ends. */
	u64 flush_until;
	u64 drain_fast_used_bytes;
	u64 drain_written_at;
	u64 drain_empty_at;
};

static inline u64 swd_later(u64 left, u64 right)
{
	return left > right ? left : right;
}

static inline u64 swd_minus(u64 left, u64 right)
{
	return left > right ? left - right : 0;
}

/* Returns left * right / divisor, rounded down; saturates.  divisor must not be 0. */
static inline u64 swd_mul_div(u64 left, u64 right, u64 divisor)
{
	swd_u128 product, rest = 0;
	u64 quotient = 0;
	int bit;

	if (!__builtin_mul_overflow(left, right, &quotient))
		return quotient / divisor;
	/* A division of 128 bits, bit by bit: rare, and kernels have no function for it. */
	product = (swd_u128)left * right;
	if ((u64)(product >> 64) >= divisor)
		return ~0ULL;
	quotient = 0;
	for (bit = 127; bit >= 0; bit--) {
		rest = rest << 1 | (product >> bit & 1);
		quotient <<= 1;
		if (rest >= divisor) {
			rest -= divisor;
			quotient |= 1;
		}
	}
	return quotient;
}

/* Returns the time that bytes take on a link. */
static inline u64 swd_transfer_ns(u64 bytes, u64 bytes_per_s)
{
	return bytes_per_s ? swd_mul_div(bytes, SWD_NS_PER_S, bytes_per_s) : 0;
}

/* Returns 64 random bits: PCG XSL RR 128/64 MCG (O'Neill 2014). */
static inline u64 swd_random(struct swd_model *model)
{
	const swd_u128 multiplier =
		(swd_u128)0x2360ED051FC65DA4ULL << 64 | 0x4385DF649FCCF645ULL;
	u64 bits;
	u32 turn;

	model->random *= multiplier;
	bits = (u64)(model->random >> 64) ^ (u64)model->random;
	turn = (u32)(model->random >> 122);
	return bits >> turn | bits << (-turn & 63);
}

/* Returns mean_ns times a random factor from the spread. */
static inline u64 swd_draw(struct swd_model *model,
			   const struct swd_direction_settings *settings, u64 mean_ns)
{
	u64 bits, between, low, high, factor;

	if (!settings->spread_count)
		return mean_ns;
	bits = swd_random(model);
	between = bits >> 40 & 0xffff;
	low = settings->spread[bits >> 56];
	high = settings->spread[(bits >> 56) + 1];
	factor = low + ((high - low) * between >> 16);
	return (mean_ns * factor + 32768) >> 16;
}

/* Returns the time of a request of size_bytes on an idle device. */
static inline u64 swd_curve_time(const struct swd_curve *curve, u64 size_bytes)
{
	const struct swd_point *left = curve->points, *right;
	u64 x, y, step, least;
	bool falls;
	u32 above;

	if (curve->count < 2)
		return curve->count ? left->time_ns : 0;
	/* The lines of the first two and the last two points extend beyond them. */
	for (above = 1; above < curve->count - 1; above++)
		if (size_bytes < curve->points[above].size_bytes)
			break;
	right = &curve->points[above];
	left = right - 1;
	falls = (right->time_ns < left->time_ns) != (size_bytes < left->size_bytes);
	y = right->time_ns < left->time_ns ? left->time_ns - right->time_ns :
					     right->time_ns - left->time_ns;
	x = size_bytes < left->size_bytes ? left->size_bytes - size_bytes :
					    size_bytes - left->size_bytes;
	step = swd_mul_div(y, x, right->size_bytes - left->size_bytes);
	least = curve->points[0].time_ns / 2;
	if (falls)
		y = swd_minus(left->time_ns, step);
	else if (step > SWD_TIME_MAX_NS)
		y = SWD_TIME_MAX_NS;
	else
		y = left->time_ns + step;
	if (y > SWD_TIME_MAX_NS)
		y = SWD_TIME_MAX_NS;
	return swd_later(y, least);
}

/* Returns whether a request continues a stream, and records its end. */
static inline bool swd_note(struct swd_direction_state *state, u64 start, u64 sectors)
{
	u32 index;

	if (state->stream_ends[state->stream_latest] == start) {
		state->stream_ends[state->stream_latest] = start + sectors;
		return true;
	}
	for (index = 0; index < SWD_STREAMS; index++) {
		if (state->stream_ends[index] == start) {
			state->stream_ends[index] = start + sectors;
			state->stream_latest = index;
			return true;
		}
	}
	state->stream_ends[state->stream_next] = start + sectors;
	state->stream_starts[state->stream_next] = start;
	state->stream_latest = state->stream_next;
	state->stream_next = (state->stream_next + 1) % SWD_STREAMS;
	return false;
}

static inline const struct swd_times *swd_times(struct swd_model *model,
						enum swd_direction direction, u64 sectors)
{
	const struct swd_direction_settings *settings = &model->settings->direction[direction];
	const struct swd_curve *sequential = &settings->sequential;
	struct swd_times *times;
	u64 transfer_ns;

	times = &model->direction[direction]
			 .remembered[(sectors ^ sectors >> 4) % SWD_REMEMBERED];
	if (times->sectors == sectors)
		return times;
	if (!sequential->count)
		sequential = &settings->random;
	transfer_ns = model->settings->link_command_ns +
		      swd_transfer_ns(sectors * 512, settings->bytes_per_s);
	times->sectors = sectors;
	times->transfer_ns = transfer_ns;
	times->random_ns = swd_minus(swd_curve_time(&settings->random, sectors * 512), transfer_ns);
	times->sequential_ns = swd_minus(swd_curve_time(sequential, sectors * 512), transfer_ns);
	return times;
}

/* Empties the fast area as far as the idle time since the buffer emptied allows. */
static inline void swd_drain_recover(struct swd_model *model, u64 now)
{
	u64 busy_until = swd_later(model->drain_written_at, model->drain_empty_at);
	u64 moved_bytes;

	if (!model->drain_fast_used_bytes || now <= busy_until + SWD_IDLE_AFTER_NS)
		return;
	moved_bytes = swd_mul_div(now - (busy_until + SWD_IDLE_AFTER_NS),
				  model->settings->drain_sequential_bytes_per_s, SWD_NS_PER_S);
	model->drain_fast_used_bytes = swd_minus(model->drain_fast_used_bytes, moved_bytes);
}

/*
 * Returns how long the bytes of a write take that follow `before` others of the same run: the share
 * of the random rate falls in a straight line over the first erase unit.
 */
static inline u64 swd_drain_ns(const struct swd_model_settings *settings, u64 bytes, u64 before)
{
	u64 from = before < SWD_ERASE_UNIT ? before : SWD_ERASE_UNIT;
	u64 to = before + bytes < SWD_ERASE_UNIT ? before + bytes : SWD_ERASE_UNIT;
	u64 random = (to - from) - (to * to - from * from) / (2 * SWD_ERASE_UNIT);

	return swd_transfer_ns(random, settings->drain_random_bytes_per_s) +
	       swd_transfer_ns(bytes - random, settings->drain_sequential_bytes_per_s);
}

/*
 * Accepts a write that continues a run of `before` bytes, and returns the earliest time at which it
 * can be acknowledged.
 */
static inline u64 swd_drain_accept(struct swd_model *model, u64 now, u64 bytes, u64 before)
{
	const struct swd_model_settings *settings = model->settings;
	u64 takes_ns, rate, ahead_ns;

	if (!settings->drain_random_bytes_per_s)
		return now;
	swd_drain_recover(model, now);
	model->drain_written_at = now;
	if (model->drain_fast_used_bytes + bytes <= settings->drain_fast_bytes) {
		model->drain_fast_used_bytes += bytes;
		return now;
	}
	takes_ns = swd_drain_ns(settings, bytes, before);
	rate = swd_later(swd_mul_div(bytes, SWD_NS_PER_S, swd_later(takes_ns, 1)), 1);
	model->drain_empty_at = swd_later(model->drain_empty_at, now) + takes_ns;
	ahead_ns = swd_transfer_ns(settings->drain_buffer_bytes, rate);
	return swd_later(swd_minus(model->drain_empty_at, ahead_ns), now);
}

/* Flushes the write cache and returns the completion time. */
static inline u64 swd_model_flush(struct swd_model *model, u64 now)
{
	u64 done, server;
	int direction;

	if (!model->settings->cache_volatile)
		return now;
	done = swd_later(swd_later(model->link_free[0], model->link_free[1]), now);
	done = swd_later(done, model->flush_until);
	if (model->dirty)
		done += model->settings->cache_flush_ns;
	model->dirty = false;
	model->flush_until = done;
	/* Nothing else is served while the cache is flushed. */
	for (direction = SWD_READ; direction <= SWD_WRITE; direction++) {
		u64 *servers = model->direction[direction].servers;

		for (server = 0; server < model->settings->direction[direction].servers; server++)
			servers[server] = swd_later(servers[server], done);
	}
	return done;
}

/* Serves a read or write that arrives now and returns its completion time. */
static inline u64 swd_model_serve(struct swd_model *model, u64 now, enum swd_direction direction,
				  u64 start, u64 sectors, bool fua)
{
	const struct swd_direction_settings *settings = &model->settings->direction[direction];
	struct swd_direction_state *state = &model->direction[direction];
	bool sequential = swd_note(state, start, sectors);
	u64 before = (start - state->stream_starts[state->stream_latest]) * 512;
	const struct swd_times *times = swd_times(model, direction, sectors);
	u64 served, ready, done, *link, server, first = 0;

	served = swd_draw(model, settings, sequential ? times->sequential_ns : times->random_ns);
	for (server = 1; server < settings->servers; server++)
		if (state->servers[server] < state->servers[first])
			first = server;
	ready = swd_later(state->servers[first], now) + served;
	state->servers[first] = ready;
	link = &model->link_free[direction == SWD_WRITE && model->settings->link_full_duplex];
	done = swd_later(*link, ready) + times->transfer_ns;
	*link = done;
	if (direction == SWD_READ)
		return done;
	model->dirty = true;
	done = swd_later(done, swd_drain_accept(model, now, sectors * 512, before));
	if (fua)
		done = swd_model_flush(model, done);
	return done;
}

/*
 * Discards or writes zeroes, without data: only the command takes link time.  This is an
 * assumption; the simulator models neither.
 */
static inline u64 swd_model_clear(struct swd_model *model, u64 now, bool dirties)
{
	u64 *link = &model->link_free[!!model->settings->link_full_duplex];

	*link = swd_later(*link, now) + model->settings->link_command_ns;
	model->dirty |= dirties;
	return *link;
}

/* Resets the model to an idle device without history. */
static inline void swd_model_reset(struct swd_model *model,
				   const struct swd_model_settings *settings)
{
	int direction, index;

	memset(model, 0, sizeof(*model));
	model->settings = settings;
	/* The state of this generator is odd. */
	model->random = (swd_u128)settings->seed[1] << 64 | settings->seed[0] | 1;
	for (direction = SWD_READ; direction <= SWD_WRITE; direction++) {
		struct swd_direction_state *state = &model->direction[direction];

		for (index = 0; index < SWD_STREAMS; index++)
			state->stream_ends[index] = ~0ULL;
		for (index = 0; index < SWD_REMEMBERED; index++)
			state->remembered[index].sectors = ~0ULL;
	}
}

#endif
