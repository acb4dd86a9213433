/* SPDX-License-Identifier: GPL-2.0-only */
/* The structures of modelled disks, requests and counters. */
#ifndef STRIPEWISE_DISK_H
#define STRIPEWISE_DISK_H

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "command.h"

enum swd_kind { SWD_KIND_READ, SWD_KIND_WRITE, SWD_KIND_FLUSH, SWD_KIND_CLEAR, SWD_KINDS };

struct swd_count {
	u64 requests;
	u64 bytes;
	/* Of the numbers of all sectors. */
	u64 sectors_sum;
	/* From arrival to modelled completion. */
	u64 service_ns;
	/* From modelled completion to the timer's callback. */
	u64 late_ns;
};

struct swd_statistics {
	struct swd_count kinds[SWD_KINDS];
	/* Written but not stored; read but never stored. */
	u64 forgotten_bytes;
	u64 blank_bytes;
	u64 failed_requests;
	u64 memory_waits;
};

struct swd_disk {
	struct list_head list;
	struct blk_mq_tag_set tags;
	struct gendisk *gendisk;
	/* Protects all fields below. */
	spinlock_t lock;
	struct xarray pages;
	u64 pages_count;
	struct swd_statistics statistics;
	struct swd_model model;
	struct swd_settings settings;
};

/* The driver's part of a request. */
struct swd_request {
	struct hrtimer timer;
	struct swd_disk *disk;
	u64 done_ns;
	enum swd_kind kind;
	blk_status_t status;
	u32 memory_waits;
	bool is_zeroes;
};

#endif
