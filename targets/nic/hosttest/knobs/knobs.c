/*
 * knobs lets a plain file stand for one of a driver: preloaded into a shell, it takes the place of the functions that open
 * files. Names that end in traffic_class or vf_roce take one line per write and read as a list, as those of MLNX_OFED do.
 *
 *   KNOBS=TEXT=FAULT   what befalls the files whose path holds TEXT; faults are parted by ":"
 *
 *     refuse   a write fails, as one does whose value the kernel does not take
 *     ignore   a write succeeds and has no effect
 *     shut     neither reading nor writing is permitted, as in a debugfs that is locked down
 *     revert   a write holds for one read; then somebody else has written the old value again
 *
 * A write to np_cnp_prio or cnp_802p_prio writes 0 to np_cnp_prio_mode, where that is there: the command of either driver has both fields.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is(const char *path, const char *fault)
{
	char all[1024];
	const char *env = getenv("KNOBS");
	snprintf(all, sizeof(all), "%s", env ? env : "");
	for (char *save, *one = strtok_r(all, ":", &save); one; one = strtok_r(NULL, ":", &save)) {
		char *eq = strchr(one, '=');
		if (!eq)
			abort();
		*eq = '\0';
		if (!strcmp(eq + 1, fault) && strstr(path, one))
			return 1;
	}
	return 0;
}

static int ends(const char *path, const char *with)
{
	size_t n = strlen(path), m = strlen(with);
	return n >= m && !strcmp(path + n - m, with);
}

static int listed(const char *path) { return ends(path, "/traffic_class") || ends(path, "/vf_roce"); }

/* The driver's own files are opened by the syscall wrapper that nobody replaces. */
static FILE *file(const char *path, const char *suffix, const char *mode)
{
	char name[1024];
	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return fopen(name, mode);
}

static void copy(const char *path, const char *to)
{
	char buf[8192];
	FILE *in = file(path, "", "r"), *out = file(path, to, "w");
	if (in && out)
		fwrite(buf, 1, fread(buf, 1, sizeof(buf), in), out);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
}

/* digest applies the line that was written last: "N", "-1", "tclass=N,MATCH" or "VF 0|1". */
static void digest(const char *path)
{
	char pending[1024], line[512] = "", old[512], match[512], out[8192] = "", put[1024] = "";
	snprintf(pending, sizeof(pending), "%s.in", path);
	FILE *f = fopen(pending, "r");
	if (!f)
		return;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	unlink(pending);
	line[strcspn(line, "\n")] = '\0';
	char *rest = strchr(line, ends(path, "/vf_roce") ? ' ' : ',');
	if (ends(path, "/vf_roce")) {
		if (!rest)
			return;
		*rest++ = '\0';
		snprintf(match, sizeof(match), "vf_num %.400s: ", line);
		snprintf(put, sizeof(put), "%s%s\n", match, rest);
	} else if (rest) {
		*rest++ = '\0';
		snprintf(match, sizeof(match), "%.400s,tclass=", rest);
		if (strcmp(line, "tclass=-1"))
			snprintf(put, sizeof(put), "%s,%s\n", rest, line);
	} else {
		snprintf(match, sizeof(match), "Global tclass=");
		if (strcmp(line, "-1"))
			snprintf(put, sizeof(put), "%s%s\n", match, line);
	}
	f = file(path, "", "r");
	while (f && fgets(old, sizeof(old), f))
		if (old[0] != '\n' && strncmp(old, match, strlen(match)))
			strncat(out, old, sizeof(out) - strlen(out) - 1);
	if (f)
		fclose(f);
	f = file(path, "", "w");
	if (!f)
		abort();
	fprintf(f, "%s%s", put, out);
	fclose(f);
}

/* counted sets the mode in which the priority of CNPs counts, as the command of the driver that writes it does. */
static void counted(const char *path)
{
	const char *net = strstr(path, "/sys/");
	char mode[1024], link[1024];
	snprintf(mode, sizeof(mode), "%s_mode", path);
	if (ends(path, "/cnp_802p_prio")) {
		snprintf(link, sizeof(link), "%.*s/device", (int)(strstr(path, "/ecn/") - path), path);
		ssize_t n = readlink(link, mode, sizeof(mode) - 1);
		if (n < 0)
			abort();
		mode[n] = '\0';
		snprintf(link, sizeof(link), "%.*s/sys/kernel/debug/mlx5/%.200s/cc_params/np_cnp_prio_mode", (int)(net - path), path,
			 strrchr(mode, '/') + 1);
		snprintf(mode, sizeof(mode), "%s", link);
	}
	if (access(mode, F_OK))
		return;
	FILE *f = fopen(mode, "w");
	if (!f)
		abort();
	fputs("0\n", f);
	fclose(f);
}

static int turn(const char *path, int flags, mode_t mode, int (*next)(const char *, int, ...))
{
	char name[1024], seen[1024];
	int writes = (flags & O_ACCMODE) != O_RDONLY;
	if (!strstr(path, "/sys/"))
		return next(path, flags, mode);
	if (is(path, "shut")) {
		errno = EPERM;
		return -1;
	}
	if (listed(path))
		digest(path);
	snprintf(name, sizeof(name), "%s.was", path);
	snprintf(seen, sizeof(seen), "%s.seen", path);
	if (!writes) {
		if (!access(seen, F_OK)) {
			rename(name, path);
			unlink(seen);
		} else if (!access(name, F_OK)) {
			fclose(file(path, ".seen", "w"));
		}
		return next(path, flags, mode);
	}
	if (is(path, "refuse"))
		return next("/dev/full", flags, mode);
	if (is(path, "ignore"))
		return next("/dev/null", flags, mode);
	if (is(path, "revert")) {
		if (access(name, F_OK))
			copy(path, ".was");
		unlink(seen);
	}
	if (listed(path)) {
		snprintf(name, sizeof(name), "%s.in", path);
		return next(name, flags | O_CREAT, 0644);
	}
	if (ends(path, "/np_cnp_prio") || ends(path, "/cnp_802p_prio"))
		counted(path);
	return next(path, flags, mode);
}

#define TAKE(name)                                                                            \
	int name(const char *path, int flags, ...)                                            \
	{                                                                                     \
		static int (*next)(const char *, int, ...);                                   \
		va_list ap;                                                                   \
		va_start(ap, flags);                                                          \
		mode_t mode = va_arg(ap, mode_t);                                             \
		va_end(ap);                                                                   \
		if (!next)                                                                    \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                            \
		return turn(path, flags, mode, next);                                         \
	}

TAKE(open)
TAKE(open64)
