// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the model of a modelled disk as a user program, so that it can be checked without a kernel.
 *
 * The first line of standard input is a command `add ...`; each further line is an arrival:
 *
 *   NS r|w|W|f|d|z START_SECTOR SECTORS     read, write, write with FUA, flush, discard, zeroes
 *
 * For each arrival it prints a line with the completion time in ns.
 */
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static u64 serve(struct swd_model *model, u64 now, char what, u64 start, u64 sectors)
{
	switch (what) {
	case 'r':
		return swd_model_serve(model, now, SWD_READ, start, sectors, false);
	case 'w':
		return swd_model_serve(model, now, SWD_WRITE, start, sectors, false);
	case 'W':
		return swd_model_serve(model, now, SWD_WRITE, start, sectors, true);
	case 'f':
		return swd_model_flush(model, now);
	default:
		return swd_model_clear(model, now, what == 'z');
	}
}

int main(void)
{
	static struct swd_settings settings;
	static struct swd_model model;
	static char command[SWD_COMMAND_BYTES_MAX];
	struct swd_problem problem = { "add", "must be the first word, and words must follow" };
	u64 now, start, sectors;
	char *rest = command;
	char what;

	if (!fgets(command, sizeof(command), stdin))
		return 2;
	command[strcspn(command, "\n")] = 0;
	if (strcmp(swd_take(&rest, ' '), "add") || !rest ||
	    !swd_read_settings(rest, &settings, &problem)) {
		fprintf(stderr, "`%s` %s\n", problem.word, problem.why);
		return 1;
	}
	swd_model_reset(&model, &settings.model);
	while (scanf("%" SCNu64 " %c %" SCNu64 " %" SCNu64, &now, &what, &start, &sectors) == 4)
		printf("%" PRIu64 "\n", serve(&model, now, what, start, sectors));
	return feof(stdin) ? 0 : 2;
}
