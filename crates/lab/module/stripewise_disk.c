// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modelled disks: in-memory block devices with the timing of a device profile.
 *
 *   write("add name=swd0 ...")            /dev/stripewise-disks            read(): list, statistics
 *                  |                                                              |
 *   request --> swd_queue: model.h sets its time --> timer --> swd_complete: completion
 *                  |
 *                  '-- data: pages in an xarray, or discarded (store=edges)
 *
 * The driver takes the timestamp of a request first, before it computes or copies, so the time that
 * this driver needs is part of the modelled time and not added to it.  Each request has its own
 * timer; timers that expire together run in the order in which they were started, which is the
 * order of arrival.
 */
#define pr_fmt(fmt) "stripewise_disk: " fmt

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/xarray.h>

#include "disk.h"

/* How often a write waits for memory, 3 ms or so each time, before it fails. */
#define SWD_MEMORY_WAITS_MAX 1000
/* 64 MiB: the most that one discard frees or one request sets to zeroes. */
#define SWD_CLEAR_SECTORS_MAX (1U << 17)

static const char *const swd_kind_names[SWD_KINDS] = { "read", "write", "flush", "clear" };

static DEFINE_MUTEX(swd_mutex);
static LIST_HEAD(swd_disks);

/* Content */

/* Returns whether the page is stored. */
static bool swd_is_kept(const struct swd_disk *disk, u64 index)
{
	u64 edge = disk->settings.store_bytes >> PAGE_SHIFT;
	u64 pages = (disk->settings.size_bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;

	return disk->settings.store == SWD_STORE_ALL || index < edge || index + edge >= pages;
}

/* Returns whether all of [start, end) is discarded. */
static bool swd_is_forgotten(const struct swd_disk *disk, u64 start, u64 end)
{
	u64 edge = disk->settings.store_bytes;

	return disk->settings.store == SWD_STORE_EDGES && start >= edge &&
	       end + edge <= disk->settings.size_bytes;
}

/* Allocates the pages for a write to [start, end). */
static blk_status_t swd_bring_pages(struct swd_disk *disk, u64 start, u64 end)
{
	u64 budget = disk->settings.store_bytes >> PAGE_SHIFT;
	u64 index;

	if (start == end || swd_is_forgotten(disk, start, end))
		return BLK_STS_OK;
	for (index = start >> PAGE_SHIFT; index <= (end - 1) >> PAGE_SHIFT; index++) {
		struct page *page;

		if (!swd_is_kept(disk, index) || xa_load(&disk->pages, index))
			continue;
		if (disk->settings.store == SWD_STORE_ALL && disk->pages_count >= budget) {
			pr_err_ratelimited("%s: all %llu bytes of store_bytes are in use, a write fails\n",
					   disk->settings.name, disk->settings.store_bytes);
			return BLK_STS_NOSPC;
		}
		page = alloc_page(GFP_NOWAIT | __GFP_NOWARN | __GFP_ZERO);
		if (!page)
			return BLK_STS_RESOURCE;
		if (xa_is_err(xa_store(&disk->pages, index, page, GFP_NOWAIT | __GFP_NOWARN))) {
			__free_page(page);
			return BLK_STS_RESOURCE;
		}
		disk->pages_count++;
	}
	return BLK_STS_OK;
}

/* Moves data between memory and the disk's pages. */
static void swd_copy(struct swd_disk *disk, u64 at, char *memory, u64 length, bool is_write)
{
	while (length) {
		u64 offset = at & ~PAGE_MASK;
		u64 piece = min_t(u64, length, PAGE_SIZE - offset);
		struct page *page = xa_load(&disk->pages, at >> PAGE_SHIFT);

		if (page && is_write)
			memcpy(page_address(page) + offset, memory, piece);
		else if (page)
			memcpy(memory, page_address(page) + offset, piece);
		else if (is_write)
			disk->statistics.forgotten_bytes += piece;
		else if (swd_is_kept(disk, at >> PAGE_SHIFT))
			memset(memory, 0, piece);
		else {
			disk->statistics.blank_bytes += piece;
			if (disk->settings.store_blank_zeroes)
				memset(memory, 0, piece);
		}
		at += piece;
		memory += piece;
		length -= piece;
	}
}

/* Returns whether data is all zeroes; the length must be a multiple of 64. */
static bool swd_is_zero(const char *memory, u64 length)
{
	const u64 *words = (const u64 *)memory;
	const u64 *end = words + length / sizeof(u64);
	u64 seen = 0;

	/* Eight at a time: each instruction costs a nanosecond of virtual time. */
	for (; words < end && !seen; words += 8)
		seen = words[0] | words[1] | words[2] | words[3] |
		       words[4] | words[5] | words[6] | words[7];
	return !seen;
}

/* Returns whether a write has only zeroes, which need no pages. */
static bool swd_writes_zeroes(struct request *rq)
{
	struct req_iterator iterator;
	struct bio_vec part;

	rq_for_each_segment(part, rq, iterator) {
		if (!IS_ALIGNED(part.bv_offset | part.bv_len, 64) ||
		    !swd_is_zero(page_address(part.bv_page) + part.bv_offset, part.bv_len))
			return false;
	}
	return true;
}

static void swd_transfer(struct swd_disk *disk, struct request *rq, bool is_write)
{
	u64 at = (u64)blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iterator;
	struct bio_vec part;

	if (swd_is_forgotten(disk, at, at + blk_rq_bytes(rq)) &&
	    (is_write || !disk->settings.store_blank_zeroes)) {
		/* This takes no CPU time, like a controller's DMA. */
		if (is_write)
			disk->statistics.forgotten_bytes += blk_rq_bytes(rq);
		else
			disk->statistics.blank_bytes += blk_rq_bytes(rq);
		return;
	}
	rq_for_each_segment(part, rq, iterator) {
		/* There is no high memory on 64-bit machines, which model.h requires. */
		swd_copy(disk, at, page_address(part.bv_page) + part.bv_offset, part.bv_len, is_write);
		at += part.bv_len;
	}
}

/* Makes [start, end) read as zeroes and frees the pages that it covers completely. */
static void swd_clear(struct swd_disk *disk, u64 start, u64 end)
{
	struct page *page;
	unsigned long index;

	if (start == end)
		return;
	xa_for_each_range(&disk->pages, index, page, start >> PAGE_SHIFT, (end - 1) >> PAGE_SHIFT) {
		u64 first = (u64)index << PAGE_SHIFT;
		u64 from = max_t(u64, start, first);
		u64 to = min_t(u64, end, first + PAGE_SIZE);

		if (to - from < PAGE_SIZE) {
			memset(page_address(page) + (from - first), 0, to - from);
			continue;
		}
		xa_erase(&disk->pages, index);
		__free_page(page);
		disk->pages_count--;
	}
}

/* Requests */

static enum swd_kind swd_kind_of(struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return SWD_KIND_READ;
	case REQ_OP_WRITE:
		return SWD_KIND_WRITE;
	case REQ_OP_FLUSH:
		return SWD_KIND_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		return SWD_KIND_CLEAR;
	default:
		return SWD_KINDS;
	}
}

/* Returns the completion time of a request that arrives now. */
static u64 swd_serve(struct swd_disk *disk, struct request *rq, enum swd_kind kind, u64 now)
{
	switch (kind) {
	case SWD_KIND_FLUSH:
		return swd_model_flush(&disk->model, now);
	case SWD_KIND_CLEAR:
		return swd_model_clear(&disk->model, now, req_op(rq) == REQ_OP_WRITE_ZEROES);
	default:
		return swd_model_serve(&disk->model, now,
				       kind == SWD_KIND_READ ? SWD_READ : SWD_WRITE,
				       blk_rq_pos(rq), blk_rq_sectors(rq), rq->cmd_flags & REQ_FUA);
	}
}

static void swd_move_data(struct swd_disk *disk, struct request *rq, enum swd_kind kind)
{
	struct swd_request *request = blk_mq_rq_to_pdu(rq);
	u64 start = (u64)blk_rq_pos(rq) << SECTOR_SHIFT;

	if (kind == SWD_KIND_WRITE && request->is_zeroes)
		swd_clear(disk, start, start + blk_rq_bytes(rq));
	else if (kind == SWD_KIND_READ || kind == SWD_KIND_WRITE)
		swd_transfer(disk, rq, kind == SWD_KIND_WRITE);
	else if (kind == SWD_KIND_CLEAR)
		swd_clear(disk, start, start + blk_rq_bytes(rq));
}

/* Returns the sum of the numbers of `count` sectors from `first`. */
static u64 swd_sectors_sum(u64 first, u64 count)
{
	return count ? count * first + count * (count - 1) / 2 : 0;
}

/* Handles a request that arrives now; with the disk's lock held.  Returns whether it is done. */
static bool swd_take_request(struct swd_disk *disk, struct request *rq, u64 now)
{
	struct swd_request *request = blk_mq_rq_to_pdu(rq);
	struct swd_count *count = &disk->statistics.kinds[request->kind];

	if (request->status != BLK_STS_OK) {
		disk->statistics.failed_requests++;
		return true;
	}
	request->done_ns = swd_serve(disk, rq, request->kind, now);
	count->requests++;
	count->bytes += blk_rq_bytes(rq);
	count->sectors_sum += swd_sectors_sum(blk_rq_pos(rq), blk_rq_sectors(rq));
	count->service_ns += request->done_ns - now;
	/* Interrupts are off, so the timer's callback cannot run before the data is copied. */
	if (request->done_ns > now)
		hrtimer_start(&request->timer, ns_to_ktime(min_t(u64, request->done_ns, KTIME_MAX)),
			      HRTIMER_MODE_ABS_PINNED);
	swd_move_data(disk, rq, request->kind);
	return request->done_ns <= now;
}

static blk_status_t swd_status_of_new(struct swd_disk *disk, struct request *rq)
{
	struct swd_request *request = blk_mq_rq_to_pdu(rq);
	u64 start = (u64)blk_rq_pos(rq) << SECTOR_SHIFT;

	request->kind = swd_kind_of(rq);
	if (request->kind == SWD_KINDS)
		return BLK_STS_NOTSUPP;
	request->is_zeroes = false;
	if (request->kind != SWD_KIND_WRITE)
		return BLK_STS_OK;
	request->is_zeroes = disk->settings.store == SWD_STORE_ALL && swd_writes_zeroes(rq);
	if (request->is_zeroes)
		return BLK_STS_OK;
	return swd_bring_pages(disk, start, start + blk_rq_bytes(rq));
}

static blk_status_t swd_queue(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	struct request *rq = bd->rq;
	struct swd_request *request = blk_mq_rq_to_pdu(rq);
	struct swd_disk *disk = hctx->queue->queuedata;
	unsigned long flags;
	bool is_done;
	u64 now;

	spin_lock_irqsave(&disk->lock, flags);
	now = ktime_get_ns();
	request->disk = disk;
	request->status = swd_status_of_new(disk, rq);
	if (request->status == BLK_STS_RESOURCE) {
		disk->statistics.memory_waits++;
		if (request->memory_waits++ < SWD_MEMORY_WAITS_MAX) {
			spin_unlock_irqrestore(&disk->lock, flags);
			return BLK_STS_RESOURCE;
		}
		pr_err_ratelimited("%s: a write fails: out of memory\n", disk->settings.name);
	}
	request->memory_waits = 0;
	blk_mq_start_request(rq);
	is_done = swd_take_request(disk, rq, now);
	spin_unlock_irqrestore(&disk->lock, flags);
	if (is_done)
		blk_mq_end_request(rq, request->status);
	return BLK_STS_OK;
}

static enum hrtimer_restart swd_expired(struct hrtimer *timer)
{
	struct swd_request *request = container_of(timer, struct swd_request, timer);
	struct swd_disk *disk = request->disk;
	u64 now = ktime_get_ns();
	unsigned long flags;

	spin_lock_irqsave(&disk->lock, flags);
	disk->statistics.kinds[request->kind].late_ns += swd_minus(now, request->done_ns);
	spin_unlock_irqrestore(&disk->lock, flags);
	blk_mq_complete_request(blk_mq_rq_from_pdu(request));
	return HRTIMER_NORESTART;
}

static void swd_complete(struct request *rq)
{
	struct swd_request *request = blk_mq_rq_to_pdu(rq);

	blk_mq_end_request(rq, request->status);
}

/* The node is unsigned in 6.12 and signed in 7.2; a version in between may be either: ask its headers. */
#define SWD_NODE_IS_SIGNED                                                                          \
	__builtin_types_compatible_p(__typeof__(((struct blk_mq_ops *)NULL)->init_request),         \
				     __typeof__(int (*)(struct blk_mq_tag_set *, struct request *, \
							unsigned int, int)))
typedef __typeof__(__builtin_choose_expr(SWD_NODE_IS_SIGNED, 0, 0U)) swd_node_t;

static int swd_init_request(struct blk_mq_tag_set *tags, struct request *rq, unsigned int hctx_index,
			    swd_node_t node)
{
	struct swd_request *request = blk_mq_rq_to_pdu(rq);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&request->timer, swd_expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
#else
	hrtimer_init(&request->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
	request->timer.function = swd_expired;
#endif
	request->memory_waits = 0;
	return 0;
}

/* On SMP the timer's callback may still be running when a request is done. */
static void swd_exit_request(struct blk_mq_tag_set *tags, struct request *rq, unsigned int hctx_index)
{
	struct swd_request *request = blk_mq_rq_to_pdu(rq);

	hrtimer_cancel(&request->timer);
}

/* A modelled request may take longer than the kernel's timeout: it is slow, not lost. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
static enum blk_eh_timer_return swd_timeout(struct request *rq)
#else
static enum blk_eh_timer_return swd_timeout(struct request *rq, bool reserved)
#endif
{
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops swd_mq_ops = {
	.queue_rq = swd_queue,
	.complete = swd_complete,
	.init_request = swd_init_request,
	.exit_request = swd_exit_request,
	.timeout = swd_timeout,
};

/* Disks */

static const struct block_device_operations swd_operations = {
	/* An open disk pins the module. */
	.owner = THIS_MODULE,
};

/*
 * The limits of the queue.  Segments are not limited, so requests are as large as the profile
 * and max_sectors_kb (1280 KiB by default) allow.  Pages are freed
 * with interrupts off, so discards and zeroes come in pieces.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static struct gendisk *swd_new_gendisk(struct swd_disk *disk)
{
	const struct swd_settings *settings = &disk->settings;
	struct queue_limits limits = {
		.logical_block_size = settings->logical_block_bytes,
		.physical_block_size = settings->physical_block_bytes,
		.max_hw_sectors = settings->request_bytes_max >> SECTOR_SHIFT,
		.max_segments = USHRT_MAX,
		.discard_granularity = settings->physical_block_bytes,
		.max_hw_discard_sectors = SWD_CLEAR_SECTORS_MAX,
		.max_write_zeroes_sectors = SWD_CLEAR_SECTORS_MAX,
	};

	if (settings->rotational)
		limits.features |= BLK_FEAT_ROTATIONAL;
	if (settings->model.cache_volatile)
		limits.features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
	return blk_mq_alloc_disk(&disk->tags, &limits, disk);
}
#else
static void swd_set_limits(const struct swd_settings *settings, struct request_queue *queue)
{
	blk_queue_logical_block_size(queue, settings->logical_block_bytes);
	blk_queue_physical_block_size(queue, settings->physical_block_bytes);
	blk_queue_max_hw_sectors(queue, settings->request_bytes_max >> SECTOR_SHIFT);
	blk_queue_max_segments(queue, USHRT_MAX);
	queue->limits.discard_granularity = settings->physical_block_bytes;
	blk_queue_max_discard_sectors(queue, SWD_CLEAR_SECTORS_MAX);
	blk_queue_max_write_zeroes_sectors(queue, SWD_CLEAR_SECTORS_MAX);
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 19, 0)
	blk_queue_flag_set(QUEUE_FLAG_DISCARD, queue);
#endif
	if (!settings->rotational)
		blk_queue_flag_set(QUEUE_FLAG_NONROT, queue);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, queue);
	blk_queue_write_cache(queue, settings->model.cache_volatile, settings->model.cache_volatile);
}

static struct gendisk *swd_new_gendisk(struct swd_disk *disk)
{
	struct gendisk *gendisk;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	gendisk = blk_mq_alloc_disk(&disk->tags, NULL, disk);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
	gendisk = blk_mq_alloc_disk(&disk->tags, disk);
#else
	struct request_queue *queue = blk_mq_init_queue(&disk->tags);

	if (IS_ERR(queue))
		return ERR_CAST(queue);
	queue->queuedata = disk;
	gendisk = alloc_disk(0);
	if (!gendisk) {
		blk_cleanup_queue(queue);
		return ERR_PTR(-ENOMEM);
	}
	gendisk->queue = queue;
	gendisk->flags |= GENHD_FL_EXT_DEVT;
#endif
	if (!IS_ERR(gendisk))
		swd_set_limits(&disk->settings, gendisk->queue);
	return gendisk;
}
#endif

static void swd_put_gendisk(struct gendisk *gendisk)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
	put_disk(gendisk);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
	blk_cleanup_disk(gendisk);
#else
	blk_cleanup_queue(gendisk->queue);
	put_disk(gendisk);
#endif
}

static int swd_publish(struct swd_disk *disk)
{
	struct gendisk *gendisk = swd_new_gendisk(disk);
	int error = 0;

	if (IS_ERR(gendisk))
		return PTR_ERR(gendisk);
	disk->gendisk = gendisk;
	gendisk->fops = &swd_operations;
	gendisk->private_data = disk;
	strscpy(gendisk->disk_name, disk->settings.name, DISK_NAME_LEN);
	set_capacity(gendisk, disk->settings.size_bytes >> SECTOR_SHIFT);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
	error = add_disk(gendisk);
	if (error)
		swd_put_gendisk(gendisk);
#else
	add_disk(gendisk);
#endif
	return error;
}

static int swd_start(struct swd_disk *disk)
{
	int error;

	disk->tags.ops = &swd_mq_ops;
	disk->tags.nr_hw_queues = 1;
	disk->tags.queue_depth = disk->settings.queue_depth;
	disk->tags.numa_node = NUMA_NO_NODE;
	disk->tags.cmd_size = sizeof(struct swd_request);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	disk->tags.flags = BLK_MQ_F_SHOULD_MERGE;
#endif
	error = blk_mq_alloc_tag_set(&disk->tags);
	if (error)
		return error;
	error = swd_publish(disk);
	if (error)
		blk_mq_free_tag_set(&disk->tags);
	return error;
}

static void swd_free(struct swd_disk *disk)
{
	unsigned long index;
	struct page *page;

	xa_for_each(&disk->pages, index, page)
		__free_page(page);
	xa_destroy(&disk->pages);
	kvfree(disk);
}

/* Removes a disk that is not open. */
static void swd_stop(struct swd_disk *disk)
{
	list_del(&disk->list);
	del_gendisk(disk->gendisk);
	swd_put_gendisk(disk->gendisk);
	blk_mq_free_tag_set(&disk->tags);
	swd_free(disk);
}

/* Commands; swd_mutex is held */

static struct swd_disk *swd_find(const char *name)
{
	struct swd_disk *disk;

	list_for_each_entry(disk, &swd_disks, list)
		if (!strcmp(disk->settings.name, name))
			return disk;
	return NULL;
}

static int swd_add(char *words)
{
	struct swd_problem problem;
	struct swd_disk *disk;
	int error;

	disk = kvzalloc(sizeof(*disk), GFP_KERNEL);
	if (!disk)
		return -ENOMEM;
	xa_init(&disk->pages);
	spin_lock_init(&disk->lock);
	error = -EINVAL;
	if (!swd_read_settings(words, &disk->settings, &problem)) {
		pr_err("add: `%s` %s\n", problem.word, problem.why);
		goto fail;
	}
	error = -EEXIST;
	if (swd_find(disk->settings.name)) {
		pr_err("add: %s already exists\n", disk->settings.name);
		goto fail;
	}
	swd_model_reset(&disk->model, &disk->settings.model);
	error = swd_start(disk);
	if (error) {
		pr_err("add: cannot register %s: error %d\n", disk->settings.name, -error);
		goto fail;
	}
	list_add_tail(&disk->list, &swd_disks);
	return 0;
fail:
	swd_free(disk);
	return error;
}

/* Resets a disk's model and statistics; its data stays. */
static int swd_reset(struct swd_disk *disk, const char *seed)
{
	u64 bits[2] = { 0, 0 };

	if (strncmp(seed, "seed=", 5) || !swd_seed(seed + 5, bits)) {
		pr_err("reset: after the name, seed= and 32 hexadecimal digits must follow\n");
		return -EINVAL;
	}
	spin_lock_irq(&disk->lock);
	memcpy(disk->settings.model.seed, bits, sizeof(bits));
	swd_model_reset(&disk->model, &disk->settings.model);
	memset(&disk->statistics, 0, sizeof(disk->statistics));
	spin_unlock_irq(&disk->lock);
	return 0;
}

static int swd_execute(char *text)
{
	char *rest = text, *verb, *name;
	struct swd_disk *disk;
	size_t index;

	for (index = 0; text[index]; index++)
		if (text[index] < ' ' || text[index] > '~')
			goto refuse;
	verb = swd_take(&rest, ' ');
	if (!strcmp(verb, "add") && rest)
		return swd_add(rest);
	name = swd_take(&rest, ' ');
	if (!name || !rest || strcmp(verb, "reset"))
		goto refuse;
	disk = swd_find(name);
	if (!disk) {
		pr_err("no such disk: %.16s\n", name);
		return -ENOENT;
	}
	return swd_reset(disk, rest);
refuse:
	pr_err("a command is `add KEY=VALUE ...` or `reset NAME seed=HEX`\n");
	return -EINVAL;
}

static ssize_t swd_write(struct file *file, const char __user *from, size_t length, loff_t *offset)
{
	char *text;
	int error;

	if (!length || length > SWD_COMMAND_BYTES_MAX)
		return -EMSGSIZE;
	text = memdup_user_nul(from, length);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (text[length - 1] == '\n')
		text[length - 1] = 0;
	error = mutex_lock_interruptible(&swd_mutex);
	if (!error) {
		error = swd_execute(text);
		mutex_unlock(&swd_mutex);
	}
	kfree(text);
	return error ? error : length;
}

/* Statistics */

static void swd_show_disk(struct seq_file *out, struct swd_disk *disk)
{
	struct swd_statistics now;
	u64 pages_count;
	size_t index;

	spin_lock_irq(&disk->lock);
	now = disk->statistics;
	pages_count = disk->pages_count;
	spin_unlock_irq(&disk->lock);
	seq_printf(out, "name=%s", disk->settings.name);
	for (index = 0; index < SWD_KINDS; index++) {
		const char *name = swd_kind_names[index];
		const struct swd_count *count = &now.kinds[index];

		seq_printf(out, " %s_requests=%llu %s_bytes=%llu %s_service_ns=%llu %s_late_ns=%llu",
			   name, count->requests, name, count->bytes, name, count->service_ns, name,
			   count->late_ns);
		seq_printf(out, " %s_sectors_sum=%llu", name, count->sectors_sum);
	}
	seq_printf(out, " stored_bytes=%llu forgotten_bytes=%llu blank_bytes=%llu",
		   pages_count << PAGE_SHIFT, now.forgotten_bytes, now.blank_bytes);
	seq_printf(out, " failed_requests=%llu memory_waits=%llu store=%s seed=%016llx%016llx",
		   now.failed_requests, now.memory_waits,
		   disk->settings.store == SWD_STORE_ALL ? "all" : "edges",
		   disk->settings.model.seed[1], disk->settings.model.seed[0]);
	for (index = 0; index < SWD_NUMBERS; index++)
		seq_printf(out, " %s=%llu", swd_numbers[index].key,
			   *swd_number_at(&disk->settings, index));
	seq_putc(out, '\n');
}

static int swd_show(struct seq_file *out, void *unused)
{
	struct swd_disk *disk;
	int error = mutex_lock_interruptible(&swd_mutex);

	if (error)
		return error;
	list_for_each_entry(disk, &swd_disks, list)
		swd_show_disk(out, disk);
	mutex_unlock(&swd_mutex);
	return 0;
}

static int swd_open_control(struct inode *inode, struct file *file)
{
	/* misc_open leaves the miscdevice there, which seq_file does not expect. */
	file->private_data = NULL;
	return single_open(file, swd_show, NULL);
}

static const struct file_operations swd_control_operations = {
	.owner = THIS_MODULE,
	.open = swd_open_control,
	.read = seq_read,
	.write = swd_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct miscdevice swd_control = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "stripewise-disks",
	.fops = &swd_control_operations,
	.mode = 0600,
};

static int __init swd_load(void)
{
	return misc_register(&swd_control);
}

static void __exit swd_unload(void)
{
	struct swd_disk *disk, *next;

	/* Stop commands first.  Open disks pin the module, so no disk is in use. */
	misc_deregister(&swd_control);
	list_for_each_entry_safe(disk, next, &swd_disks, list)
		swd_stop(disk);
}

module_init(swd_load);
module_exit(swd_unload);
MODULE_LICENSE("GPL v2");
MODULE_DESCRIPTION("In-memory disks with the timing of a device profile");
