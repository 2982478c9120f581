/*
 * devlinkshim lets the unmodified devlink of iproute2 talk to a NIC that is not there: it takes the place of the libmnl
 * functions that reach the kernel, and answers requests of generic netlink from files.
 *
 *   DEVLINKSHIM_DIR/devlink-BDF   the parameter enable_roce of a PCI function, 0 or 1, as set last; none: no such function
 *   DEVLINKSHIM_DIR/iwarp-BDF     the parameter enable_iwarp of ice, in the same form
 *   DEVLINKSHIM_DIR/log           one line for every write and reload
 *   DEVLINKSHIM_DRIVER            mlx5 (unset) or ice, whose parameters take effect at once: ice_devlink_enable_roce_set and
 *                                 ice_devlink_enable_iw_set of drivers/net/ethernet/intel/ice/devlink/devlink.c
 *   ROCEC_ROOT                    where /sys is: a reload takes the RDMA device of the function away or brings it back
 *   DEVLINKSHIM_FAULT             what befalls requests:
 *
 *     nofamily   the kernel has no devlink
 *     noparam    the driver has no enable_roce (before 5.6)
 *     noset      the function cannot do RoCE, as the driver answers where the firmware lacks it
 *     noperm     the caller is not root
 *     noreload   the driver cannot reload
 *     ignore     a write succeeds and has no effect
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAMILY = 0x15 };

static char answer[4096]; /* what the next mnl_socket_recvfrom returns */
static size_t answer_len;

static int befalls(const char *fault)
{
	const char *env = getenv("DEVLINKSHIM_FAULT");
	return env && !strcmp(env, fault);
}

static void path(char *out, size_t size, const char *name)
{
	const char *dir = getenv("DEVLINKSHIM_DIR");
	snprintf(out, size, "%s/%s", dir ? dir : ".", name);
}

/* ice is whether the driver is ice. */
static int ice(void)
{
	const char *env = getenv("DEVLINKSHIM_DRIVER");
	return env && !strcmp(env, "ice");
}

/* kept is the name of the file of a parameter. */
static void kept(char *out, size_t size, const char *param, const char *dev)
{
	snprintf(out, size, "%s-%.100s", strcmp(param, "enable_iwarp") ? "devlink" : "iwarp", dev);
}

static int load(const char *param, const char *dev)
{
	char name[128], file[512];
	kept(name, sizeof(name), param, dev);
	path(file, sizeof(file), name);
	FILE *f = fopen(file, "r");
	int c = f ? fgetc(f) : 0;
	if (f)
		fclose(f);
	return c ? c == '1' : -ENODEV;
}

static void append(const char *name, const char *mode, const char *what, const char *dev, int value)
{
	char file[512];
	path(file, sizeof(file), name);
	FILE *f = fopen(file, mode);
	if (!f)
		abort();
	fprintf(f, what, dev, value);
	fclose(f);
}

/* move is what a driver that starts anew does to its RDMA device. */
static void move(const char *dev, int on)
{
	char here[512], off[520];
	const char *root = getenv("ROCEC_ROOT");
	snprintf(here, sizeof(here), "%.300s/sys/devices/%.100s/infiniband", root ? root : "", dev);
	snprintf(off, sizeof(off), "%s.off", here);
	if (rename(on ? off : here, on ? here : off) && errno != ENOENT)
		abort();
}

static void finish(const struct nlmsghdr *req, int err)
{
	struct nlmsghdr *re = mnl_nlmsg_put_header(answer + answer_len);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(re, sizeof(*e));
	re->nlmsg_type = NLMSG_ERROR;
	re->nlmsg_seq = req->nlmsg_seq;
	e->error = err;
	e->msg = *req;
	answer_len += MNL_ALIGN(re->nlmsg_len);
}

static struct nlmsghdr *begin(const struct nlmsghdr *req, int cmd)
{
	struct nlmsghdr *re = mnl_nlmsg_put_header(answer);
	struct genlmsghdr *g = mnl_nlmsg_put_extra_header(re, sizeof(*g));
	re->nlmsg_type = req->nlmsg_type;
	re->nlmsg_seq = req->nlmsg_seq;
	g->cmd = cmd;
	g->version = 1;
	return re;
}

static void family(const struct nlmsghdr *req)
{
	struct nlmsghdr *re = begin(req, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_strz(re, CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
	mnl_attr_put_u16(re, CTRL_ATTR_FAMILY_ID, FAMILY);
	mnl_attr_put_u32(re, CTRL_ATTR_VERSION, DEVLINK_GENL_VERSION);
	mnl_attr_put_u32(re, CTRL_ATTR_HDRSIZE, 0);
	mnl_attr_put_u32(re, CTRL_ATTR_MAXATTR, DEVLINK_ATTR_MAX);
	answer_len = MNL_ALIGN(re->nlmsg_len);
}

/* param answers with a parameter: a flag, which is there where it is true. */
static void param(const struct nlmsghdr *req, const char *name, const char *dev, int on)
{
	struct nlmsghdr *re = begin(req, DEVLINK_CMD_PARAM_GET);
	mnl_attr_put_strz(re, DEVLINK_ATTR_BUS_NAME, "pci");
	mnl_attr_put_strz(re, DEVLINK_ATTR_DEV_NAME, dev);
	struct nlattr *one = mnl_attr_nest_start(re, DEVLINK_ATTR_PARAM);
	mnl_attr_put_strz(re, DEVLINK_ATTR_PARAM_NAME, name);
	mnl_attr_put(re, DEVLINK_ATTR_PARAM_GENERIC, 0, NULL);
	mnl_attr_put_u8(re, DEVLINK_ATTR_PARAM_TYPE, MNL_TYPE_FLAG);
	struct nlattr *list = mnl_attr_nest_start(re, DEVLINK_ATTR_PARAM_VALUES_LIST);
	struct nlattr *value = mnl_attr_nest_start(re, DEVLINK_ATTR_PARAM_VALUE);
	mnl_attr_put_u8(re, DEVLINK_ATTR_PARAM_VALUE_CMODE, ice() ? DEVLINK_PARAM_CMODE_RUNTIME : DEVLINK_PARAM_CMODE_DRIVERINIT);
	if (on)
		mnl_attr_put(re, DEVLINK_ATTR_PARAM_VALUE_DATA, 0, NULL);
	mnl_attr_nest_end(re, value);
	mnl_attr_nest_end(re, list);
	mnl_attr_nest_end(re, one);
	answer_len = MNL_ALIGN(re->nlmsg_len);
}

/* handle answers a request of devlink; the result is the kernel's error. */
static int handle(const struct nlmsghdr *req)
{
	const struct genlmsghdr *g = mnl_nlmsg_get_payload(req);
	const struct nlattr *a;
	const char *dev = "", *name = "";
	int cmode = -1, on = 0;

	mnl_attr_for_each(a, req, sizeof(*g)) {
		switch (mnl_attr_get_type(a)) {
		case DEVLINK_ATTR_DEV_NAME: dev = mnl_attr_get_str(a); break;
		case DEVLINK_ATTR_PARAM_NAME: name = mnl_attr_get_str(a); break;
		case DEVLINK_ATTR_PARAM_VALUE_CMODE: cmode = mnl_attr_get_u8(a); break;
		case DEVLINK_ATTR_PARAM_VALUE_DATA: on = 1; break;
		}
	}
	if (g->cmd == DEVLINK_CMD_PORT_GET) /* in the legacy mode no function has ports of others */
		return 0;
	int now = load(name, dev), iwarp = ice() && !strcmp(name, "enable_iwarp");
	if (now < 0)
		return now;
	switch (g->cmd) {
	case DEVLINK_CMD_PARAM_GET:
	case DEVLINK_CMD_PARAM_SET:
		if (g->cmd == DEVLINK_CMD_PARAM_SET && befalls("noperm"))
			return -EPERM;
		if (befalls("noparam") || (strcmp(name, "enable_roce") && !iwarp))
			return -EINVAL;
		if (g->cmd == DEVLINK_CMD_PARAM_GET) {
			param(req, name, dev, now);
			return 0;
		}
		if (cmode != (ice() ? DEVLINK_PARAM_CMODE_RUNTIME : DEVLINK_PARAM_CMODE_DRIVERINIT) || befalls("noset"))
			return -EOPNOTSUPP;
		if (ice() && on && load(iwarp ? "enable_roce" : "enable_iwarp", dev) == 1)
			return -EOPNOTSUPP; /* RoCEv2 and iWARP exclude each other */
		if (befalls("ignore"))
			return 0;
		char file[128];
		kept(file, sizeof(file), name, dev);
		append(file, "w", "%.0s%d\n", dev, on);
		append("log", "a", iwarp ? "%s devlink enable_iwarp %d\n" : "%s devlink enable_roce %d\n", dev, on);
		if (ice() && !iwarp)
			move(dev, on);
		return 0;
	case DEVLINK_CMD_RELOAD:
		if (befalls("noperm"))
			return -EPERM;
		if (befalls("noreload"))
			return -EOPNOTSUPP;
		append("log", "a", "%s devlink reload %d\n", dev, now);
		move(dev, now);
		return 0;
	}
	return -EOPNOTSUPP;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	const struct nlmsghdr *req = buf;
	(void)nl;
	answer_len = 0;
	if (req->nlmsg_type == GENL_ID_CTRL && befalls("nofamily")) {
		finish(req, -ENOENT);
	} else if (req->nlmsg_type == GENL_ID_CTRL) {
		family(req);
		finish(req, 0);
	} else {
		int err = handle(req);
		if (err)
			answer_len = 0;
		if (err || req->nlmsg_flags & NLM_F_ACK)
			finish(req, err);
		if (!answer_len) { /* the end of a dump of nothing */
			struct nlmsghdr *re = mnl_nlmsg_put_header(answer);
			int *none = mnl_nlmsg_put_extra_header(re, sizeof(*none));
			re->nlmsg_type = NLMSG_DONE;
			re->nlmsg_flags = NLM_F_MULTI;
			re->nlmsg_seq = req->nlmsg_seq;
			*none = 0;
			answer_len = re->nlmsg_len;
		}
	}
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

/* Answers carry the number that a request asks for; where a tool asks its socket instead, it gets this one. */
unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return 0;
}
