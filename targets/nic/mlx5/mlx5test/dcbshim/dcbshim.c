/*
 * dcbshim lets the unmodified dcb of iproute2 talk to an mlx5 NIC that is not there: it takes the place of the two
 * libmnl functions that reach the kernel, and answers dcbnl requests from a file.
 *
 *   DCBSHIM_DIR/<netdev>   the state of one NIC; made on first use, as an mlx5 comes from the factory
 *   DCBSHIM_DIR/log        one line for every accepted write
 *
 * What it refuses, and how a DSCP entry replaces another, is what the mlx5 driver does. Interfaces whose name starts
 * with "veth" have no dcbnl at all.
 *
 *   DCBSHIM_FAULT=ITEM=FAULT   what befalls dcbx, ets, pfc, delay or app
 *
 *     absent   the driver has no such operation: nothing is told, and a write passes silently, or is not supported (dcbx, app)
 *     refuse   a write is not permitted
 *     ignore   a write succeeds and has no effect
 *     revert   a write holds for the four reads of one look at a NIC; then somebody else has written the old value again
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct nic {
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	unsigned char dcbx;
	signed char dscp[64]; /* priority of each DSCP in the APP table; -1: no entry */
};

static char answer[8192]; /* what the next mnl_socket_recvfrom returns */
static size_t answer_len;

static void path(char *out, size_t size, const char *name)
{
	const char *dir = getenv("DCBSHIM_DIR");
	snprintf(out, size, "%s/%s", dir ? dir : ".", name);
}

static void load(struct nic *n, const char *dev)
{
	char file[512];
	path(file, sizeof(file), dev);
	FILE *f = fopen(file, "rb");
	if (f && fread(n, sizeof(*n), 1, f) == 1) {
		fclose(f);
		return;
	}
	if (f)
		fclose(f);
	memset(n, 0, sizeof(*n));
	memset(n->dscp, -1, sizeof(n->dscp));
	n->ets.ets_cap = n->pfc.pfc_cap = 8;
	n->pfc.delay = 7;
	for (int i = 0; i < 8; i++) {
		n->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		n->ets.tc_tx_bw[i] = 100;
		n->ets.prio_tc[i] = i == 0 ? 1 : i == 1 ? 0 : i;
	}
}

static void save(const struct nic *n, const char *dev)
{
	char file[512];
	path(file, sizeof(file), dev);
	FILE *f = fopen(file, "wb");
	if (!f || fwrite(n, sizeof(*n), 1, f) != 1) {
		perror(file);
		abort();
	}
	fclose(f);
}

static void note(const char *dev, const char *what, ...)
{
	char file[512];
	path(file, sizeof(file), "log");
	FILE *f = fopen(file, "a");
	if (!f) {
		perror(file);
		abort();
	}
	va_list ap;
	va_start(ap, what);
	fprintf(f, "%s ", dev);
	vfprintf(f, what, ap);
	fputc('\n', f);
	va_end(ap);
	fclose(f);
}

static int befalls(const char *item, const char *fault)
{
	const char *env = getenv("DCBSHIM_FAULT");
	size_t len = strlen(item);
	return env && !strncmp(env, item, len) && env[len] == '=' && !strcmp(env + len + 1, fault);
}

/* spared is whether a write of an item ends here, with *err; one that is to be undone is remembered. */
static int spared(const struct nic *n, const char *dev, const char *item, int *err)
{
	*err = 0;
	if (befalls(item, "refuse"))
		*err = -EPERM;
	else if (befalls(item, "absent"))
		*err = strcmp(item, "app") && strcmp(item, "dcbx") ? 0 : -EOPNOTSUPP;
	else if (befalls(item, "revert")) {
		char reads[512], name[256];
		snprintf(name, sizeof(name), "%.200s.reads", dev);
		path(reads, sizeof(reads), name);
		remove(reads);
		snprintf(name, sizeof(name), "%.200s.was", dev);
		path(reads, sizeof(reads), name);
		if (access(reads, F_OK))
			save(n, name);
		return 0;
	} else if (!befalls(item, "ignore"))
		return 0;
	return 1;
}

/* revert undoes a remembered write after the four reads of one look. */
static void revert(struct nic *n, const char *dev)
{
	char name[256], was[512], reads[512];
	struct nic old;
	snprintf(name, sizeof(name), "%.200s.was", dev);
	path(was, sizeof(was), name);
	snprintf(name, sizeof(name), "%.200s.reads", dev);
	path(reads, sizeof(reads), name);
	FILE *f = fopen(was, "rb");
	if (!f || fread(&old, sizeof(old), 1, f) != 1) {
		if (f)
			fclose(f);
		return;
	}
	fclose(f);
	f = fopen(reads, "a");
	if (!f)
		abort();
	fputc('.', f);
	long count = ftell(f);
	fclose(f);
	if (count <= 4)
		return;
	if (befalls("dcbx", "revert"))
		n->dcbx = old.dcbx;
	if (befalls("ets", "revert"))
		n->ets = old.ets;
	if (befalls("pfc", "revert"))
		n->pfc.pfc_en = old.pfc.pfc_en;
	if (befalls("delay", "revert"))
		n->pfc.delay = old.pfc.delay;
	if (befalls("app", "revert"))
		memcpy(n->dscp, old.dscp, sizeof(n->dscp));
	remove(was);
	remove(reads);
	save(n, dev);
}

static int set_ets(struct nic *n, const char *dev, const struct ieee_ets *ets)
{
	int sum = 0, any = 0;
	for (int i = 0; i < 8; i++) {
		if (ets->prio_tc[i] >= 8)
			return -ENOTSUP;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
			any = 1;
			sum += ets->tc_tx_bw[i];
		}
	}
	if (any && sum != 100)
		return -EINVAL;
	int err;
	if (spared(n, dev, "ets", &err))
		return err;
	n->ets = *ets;
	n->ets.ets_cap = 8;
	for (int i = 0; i < 8; i++)
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			n->ets.tc_tx_bw[i] = 100; /* how mlx5 reports the others */
	note(dev, "ets");
	return 0;
}

static int set_pfc(struct nic *n, const char *dev, const struct ieee_pfc *pfc)
{
	if (pfc->delay >= 1000)
		return -EINVAL;
	int err, masks = pfc->pfc_en != n->pfc.pfc_en;
	if (spared(n, dev, masks ? "pfc" : "delay", &err))
		return err;
	if (masks)
		note(dev, "pfc %02x, link bounced", pfc->pfc_en);
	else
		note(dev, "pfc delay %u", pfc->delay);
	n->pfc.pfc_en = pfc->pfc_en;
	if (pfc->delay)
		n->pfc.delay = pfc->delay;
	return 0;
}

static int change_app(struct nic *n, const char *dev, const struct dcb_app *app, int del)
{
	if (app->selector != IEEE_8021QAZ_APP_SEL_DSCP || app->protocol >= 64 || app->priority >= 8)
		return -EINVAL;
	int err;
	if (spared(n, dev, "app", &err))
		return err;
	if (del) {
		if (n->dscp[app->protocol] != app->priority)
			return -ENOENT;
		n->dscp[app->protocol] = -1;
	} else {
		n->dscp[app->protocol] = app->priority;
	}
	note(dev, "%s dscp %u:%u", del ? "del" : "add", app->protocol, app->priority);
	return 0;
}

static int change(struct nic *n, const char *dev, const struct nlattr *ieee, int del)
{
	const struct nlattr *a, *b;
	int err = 0;
	mnl_attr_for_each_nested(a, ieee) {
		switch (mnl_attr_get_type(a)) {
		case DCB_ATTR_IEEE_ETS:
			err = set_ets(n, dev, mnl_attr_get_payload(a));
			break;
		case DCB_ATTR_IEEE_PFC:
			err = set_pfc(n, dev, mnl_attr_get_payload(a));
			break;
		case DCB_ATTR_IEEE_APP_TABLE:
			mnl_attr_for_each_nested(b, a) {
				if (mnl_attr_get_type(b) == DCB_ATTR_IEEE_APP && !err)
					err = change_app(n, dev, mnl_attr_get_payload(b), del);
			}
			break;
		default:
			err = -EOPNOTSUPP;
		}
		if (err)
			break;
	}
	return err;
}

static void describe(struct nlmsghdr *re, const struct nic *n)
{
	struct nlattr *ieee = mnl_attr_nest_start(re, DCB_ATTR_IEEE);
	struct ieee_pfc pfc = n->pfc;
	if (befalls("delay", "absent"))
		pfc.delay = 0;
	if (!befalls("ets", "absent"))
		mnl_attr_put(re, DCB_ATTR_IEEE_ETS, sizeof(n->ets), &n->ets);
	if (!befalls("pfc", "absent"))
		mnl_attr_put(re, DCB_ATTR_IEEE_PFC, sizeof(pfc), &pfc);
	struct nlattr *table = mnl_attr_nest_start(re, DCB_ATTR_IEEE_APP_TABLE);
	for (int i = 0; i < 64; i++) {
		struct dcb_app app = {.selector = IEEE_8021QAZ_APP_SEL_DSCP, .protocol = i};
		if (n->dscp[i] < 0)
			continue;
		app.priority = n->dscp[i];
		mnl_attr_put(re, DCB_ATTR_IEEE_APP, sizeof(app), &app);
	}
	mnl_attr_nest_end(re, table);
	mnl_attr_nest_end(re, ieee);
	mnl_attr_put_u8(re, DCB_ATTR_DCBX, n->dcbx);
}

static void fail(const struct nlmsghdr *req, int err)
{
	struct nlmsghdr *re = mnl_nlmsg_put_header(answer);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(re, sizeof(*e));
	re->nlmsg_type = NLMSG_ERROR;
	re->nlmsg_seq = req->nlmsg_seq;
	e->error = err;
	e->msg = *req;
	answer_len = re->nlmsg_len;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	const struct nlmsghdr *req = buf;
	const struct dcbmsg *msg = mnl_nlmsg_get_payload(req);
	const struct nlattr *a, *ieee = NULL, *dcbx = NULL;
	const char *dev = "";
	(void)nl;

	mnl_attr_for_each(a, req, sizeof(*msg)) {
		switch (mnl_attr_get_type(a)) {
		case DCB_ATTR_IFNAME: dev = mnl_attr_get_str(a); break;
		case DCB_ATTR_IEEE: ieee = a; break;
		case DCB_ATTR_DCBX: dcbx = a; break;
		}
	}
	if (!strncmp(dev, "veth", 4)) {
		fail(req, -EOPNOTSUPP);
		return len;
	}

	struct nic n;
	load(&n, dev);
	struct nlmsghdr *re = mnl_nlmsg_put_header(answer);
	struct dcbmsg *out = mnl_nlmsg_put_extra_header(re, sizeof(*out));
	re->nlmsg_type = req->nlmsg_type;
	re->nlmsg_seq = req->nlmsg_seq;
	out->cmd = msg->cmd;
	mnl_attr_put_strz(re, DCB_ATTR_IFNAME, dev);

	int err = 0;
	if (msg->cmd == DCB_CMD_IEEE_GET || msg->cmd == DCB_CMD_GDCBX)
		revert(&n, dev);
	switch (msg->cmd) {
	case DCB_CMD_IEEE_GET:
		describe(re, &n);
		break;
	case DCB_CMD_IEEE_SET:
	case DCB_CMD_IEEE_DEL:
		err = ieee ? change(&n, dev, ieee, msg->cmd == DCB_CMD_IEEE_DEL) : -EINVAL;
		mnl_attr_put_u8(re, DCB_ATTR_IEEE, 0);
		break;
	case DCB_CMD_GDCBX:
		err = befalls("dcbx", "absent") ? -EOPNOTSUPP : 0;
		mnl_attr_put_u8(re, DCB_ATTR_DCBX, n.dcbx);
		break;
	case DCB_CMD_SDCBX: {
		unsigned char want = dcbx ? mnl_attr_get_u8(dcbx) : 0;
		int refused = (want & DCB_CAP_DCBX_LLD_MANAGED) || !(want & DCB_CAP_DCBX_HOST);
		if (!refused && spared(&n, dev, "dcbx", &err)) {
			refused = err == -EPERM; /* the driver's answer is a byte */
			err = err == -EPERM ? 0 : err;
		} else if (!refused) {
			n.dcbx = want;
			note(dev, "dcbx %02x", want);
		}
		mnl_attr_put_u8(re, DCB_ATTR_DCBX, refused);
		break;
	}
	default:
		err = -EOPNOTSUPP;
	}
	if (err) {
		fail(req, err);
		return len;
	}
	if (req->nlmsg_type == RTM_SETDCB)
		save(&n, dev);
	answer_len = re->nlmsg_len;
	if (req->nlmsg_flags & NLM_F_ACK) {
		struct nlmsghdr *ack = mnl_nlmsg_put_header(answer + MNL_ALIGN(answer_len));
		struct nlmsgerr *e = mnl_nlmsg_put_extra_header(ack, sizeof(*e));
		ack->nlmsg_type = NLMSG_ERROR;
		ack->nlmsg_seq = req->nlmsg_seq;
		e->error = 0;
		e->msg = *req;
		answer_len = MNL_ALIGN(answer_len) + ack->nlmsg_len;
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
