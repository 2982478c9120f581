/*
 * rdmashim lets the unmodified rdma of iproute2 make and delete devices of Soft-RoCE that are not there: it takes the place of
 * the libmnl functions that reach the kernel, and answers RDMA_NL_NLDEV from files.
 *
 *   ROCEC_ROOT       where /sys and /proc are: a device is sys/class/infiniband/DEV/parent, an interface sys/class/net/IF, that of
 *                    a VLAN proc/net/vlan/IF, the loaded module sys/module/rdma_rxe
 *   RDMASHIM_DIR     its file log gets one line for every device that is asked for or asked away
 *   RDMASHIM_UDEV    what udev calls a new device; unset: as it was asked for
 *   RDMASHIM_FAULT   what befalls requests:
 *
 *     nosocket   the kernel has no RDMA netlink: ib_core is not there
 *     noperm     the caller is not root
 *     nolink     the kernel knows no links (before 5.1)
 *     ignored    a request succeeds and has no effect
 *     raced      somebody else makes the device just before
 *
 * Errors are those of nldev_newlink and nldev_dellink (drivers/infiniband/core/nldev.c), rxe_newlink (sw/rxe/rxe.c) and
 * assign_name (core/device.c).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char answer[4096]; /* what the next mnl_socket_recvfrom returns */
static size_t answer_len;

static int befalls(const char *fault)
{
	const char *env = getenv("RDMASHIM_FAULT");
	return env && !strcmp(env, fault);
}

/* below gives the path of a file below the root prefix; it holds until the next call. */
static const char *below(const char *dir, const char *name, const char *file)
{
	static char path[1024];
	const char *root = getenv("ROCEC_ROOT");
	snprintf(path, sizeof(path), "%.500s/%s/%.100s%s", root ? root : "", dir, name, file);
	return path;
}

static int exists(const char *dir, const char *name)
{
	return !access(below(dir, name, ""), F_OK);
}

static void record(const char *format, const char *a, const char *b)
{
	char file[512];
	const char *dir = getenv("RDMASHIM_DIR");
	snprintf(file, sizeof(file), "%s/log", dir ? dir : ".");
	FILE *f = fopen(file, "a");
	if (!f)
		abort();
	fprintf(f, format, a, b);
	fclose(f);
}

/* devices gives the paths of the RDMA devices; the index of a device is its place there. */
static glob_t devices(void)
{
	glob_t g;
	int err = glob(below("sys/class/infiniband", "", "*"), 0, NULL, &g);
	if (err && err != GLOB_NOMATCH)
		abort();
	return g;
}

/* taken says whether an interface has a device already, as its file parent tells. */
static int taken(const char *netdev)
{
	glob_t g = devices();
	int found = 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char line[64] = "";
		FILE *f = fopen(below("sys/class/infiniband", strrchr(g.gl_pathv[i], '/') + 1, "/parent"), "r");
		if (f && fscanf(f, "%63s", line) == 1)
			found |= !strcmp(line, netdev);
		if (f)
			fclose(f);
	}
	globfree(&g);
	return found;
}

static void make(const char *name, const char *netdev)
{
	const char *udev = getenv("RDMASHIM_UDEV");
	if (udev)
		name = udev;
	if (mkdir(below("sys/class/infiniband", name, ""), 0755))
		abort();
	FILE *f = fopen(below("sys/class/infiniband", name, "/parent"), "w");
	if (!f)
		abort();
	fprintf(f, "%s\n", netdev);
	fclose(f);
}

static int newlink(const char *name, const char *type, const char *netdev)
{
	record("rdma link add %s type rxe netdev %s\n", name, netdev);
	if (befalls("noperm"))
		return -EPERM;
	if (befalls("nolink") || !*name || strchr(name, '%'))
		return -EINVAL;
	if (!exists("sys/class/net", netdev))
		return -ENODEV;
	if (strcmp(type, "rxe") || !exists("sys/module", "rdma_rxe"))
		return -EINVAL;
	if (exists("proc/net/vlan", netdev))
		return -EPERM;
	if (befalls("raced"))
		make(name, netdev);
	if (taken(netdev))
		return -EEXIST;
	if (exists("sys/class/infiniband", name))
		return -ENFILE;
	if (!befalls("ignored"))
		make(name, netdev);
	return 0;
}

static int dellink(uint32_t index)
{
	glob_t g = devices();
	int err = -EINVAL;
	if (index < g.gl_pathc) {
		const char *name = strrchr(g.gl_pathv[index], '/') + 1;
		record("rdma link delete %s%s\n", name, "");
		if (befalls("noperm"))
			err = -EPERM;
		else if (befalls("ignored"))
			err = 0;
		else if (!befalls("nolink") && !unlink(below("sys/class/infiniband", name, "/parent"))) /* a NIC's has none */
			err = rmdir(g.gl_pathv[index]) ? -errno : 0;
	}
	globfree(&g);
	return err;
}

/* start begins a message of the answer. */
static struct nlmsghdr *start(const struct nlmsghdr *req, int type)
{
	if (answer_len + 512 > sizeof(answer))
		abort();
	struct nlmsghdr *re = mnl_nlmsg_put_header(answer + answer_len);
	re->nlmsg_type = type;
	re->nlmsg_flags = NLM_F_MULTI;
	re->nlmsg_seq = req->nlmsg_seq;
	return re;
}

/* dump answers with every device and its one port. */
static void dump(const struct nlmsghdr *req)
{
	glob_t g = devices();
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct nlmsghdr *re = start(req, req->nlmsg_type);
		mnl_attr_put_u32(re, RDMA_NLDEV_ATTR_DEV_INDEX, i);
		mnl_attr_put_strz(re, RDMA_NLDEV_ATTR_DEV_NAME, strrchr(g.gl_pathv[i], '/') + 1);
		mnl_attr_put_u32(re, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
		answer_len += MNL_ALIGN(re->nlmsg_len);
	}
	globfree(&g);
	struct nlmsghdr *re = start(req, NLMSG_DONE);
	*(int *)mnl_nlmsg_put_extra_header(re, sizeof(int)) = 0;
	answer_len += MNL_ALIGN(re->nlmsg_len);
}

/* RDMA netlink is not in every kernel that runs tests; a socket of routes stands for it. */
struct mnl_socket *mnl_socket_open(int bus)
{
	struct mnl_socket *(*next)(int) = (struct mnl_socket * (*)(int)) dlsym(RTLD_NEXT, "mnl_socket_open");
	if (bus != NETLINK_RDMA || befalls("nosocket")) {
		errno = EPROTONOSUPPORT;
		return NULL;
	}
	return next(NETLINK_ROUTE);
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	const struct nlmsghdr *req = buf;
	const struct nlattr *a;
	const char *name = "", *type = "", *netdev = "";
	uint32_t index = -1;
	int err = -EINVAL;

	(void)nl;
	answer_len = 0;
	mnl_attr_for_each(a, req, 0) {
		switch (mnl_attr_get_type(a)) {
		case RDMA_NLDEV_ATTR_DEV_INDEX: index = mnl_attr_get_u32(a); break;
		case RDMA_NLDEV_ATTR_DEV_NAME: name = mnl_attr_get_str(a); break;
		case RDMA_NLDEV_ATTR_LINK_TYPE: type = mnl_attr_get_str(a); break;
		case RDMA_NLDEV_ATTR_NDEV_NAME: netdev = mnl_attr_get_str(a); break;
		}
	}
	switch (req->nlmsg_type) {
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET):
		dump(req);
		return len;
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK): err = newlink(name, type, netdev); break;
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_DELLINK): err = dellink(index); break;
	}
	struct nlmsghdr *re = start(req, NLMSG_ERROR);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(re, sizeof(*e));
	re->nlmsg_flags = 0;
	e->error = err;
	e->msg = *req;
	answer_len = MNL_ALIGN(re->nlmsg_len);
	return len;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	(void)nl;
	size_t n = answer_len < size ? answer_len : size;
	memcpy(buf, answer, n);
	answer_len = 0;
	return n;
}
