/*
 * clock is preloaded into every program of the device and moves its wall clock by the nanoseconds that stand in OFFSET, at
 * once and for programs that run already. Monotonic clocks stay, as they do when somebody sets a clock.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define OFFSET "/run/rocec-test/clock"

static const volatile int64_t *offset;

__attribute__((constructor)) static void map(void)
{
	int fd = open(OFFSET, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* a program in a sandbox of its own keeps the real clock */
	void *p = mmap(NULL, sizeof(*offset), PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED)
		offset = p;
	close(fd);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	const int64_t second = 1000000000;
	int err = syscall(SYS_clock_gettime, id, ts);
	if (err || !offset || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE))
		return err;
	int64_t nsec = ts->tv_nsec + *offset % second;
	ts->tv_sec += *offset / second + (nsec >= second) - (nsec < 0);
	ts->tv_nsec = (nsec + second) % second;
	return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	struct timespec ts;
	(void)tz;
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	if (t)
		*t = ts.tv_sec;
	return ts.tv_sec;
}
