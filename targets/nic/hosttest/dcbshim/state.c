/*
 * dcbshim lets the unmodified dcb of iproute2 talk to a NIC that is not there: it takes the place of the two
 * libmnl functions that reach the kernel, and answers dcbnl requests from a file.
 *
 *   DCBSHIM_DRIVER              mlx5 (unset: mlx5), mlx4, bnxt, ice or qede: the rules of that driver, see the table drivers
 *   DCBSHIM_LOSSLESS            classes that can be lossless, for pfc_cap; unset: as the table says
 *   DCBSHIM_CLASSES             traffic classes, for ets_cap; unset: as the table says
 *   DCBSHIM_DIR/<netdev>        the state of one NIC; made on first use, as the NIC comes from the factory
 *   DCBSHIM_DIR/<netdev>.lldp   while it exists, the agent of the firmware for LLDP and DCBX runs (bnxt, ice)
 *   DCBSHIM_DIR/log             one line for every accepted write
 *   ROCEC_ROOT                  where /sys/class/net/<netdev>/master is (ice)
 *
 * Every driver refuses what its source refuses; the comments name the file and the function. Interfaces whose name starts
 * with "veth" have no dcbnl at all.
 *
 *   DCBSHIM_FAULT=ITEM=FAULT   what befalls dcbx, ets, pfc, delay or app
 *
 *     absent   the driver has no such operation: nothing is told, and a write passes silently, or is not supported (dcbx, app)
 *     refuse   a write is not permitted
 *     ignore   a write succeeds and has no effect
 *     keep     app alone: the kernel's table takes a change that the card refuses, which bnxt and ice leave so
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

enum { APPS = 256, DSCP = IEEE_8021QAZ_APP_SEL_DSCP };

struct nic {
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	unsigned char dcbx;
	unsigned char scheduled; /* the host has set ETS since the driver started (bnxt) */
	unsigned int count;
	struct dcb_app apps[APPS]; /* the kernel's table, sorted */
};

/* A driver has the operations of dcbnl_rtnl_ops. A missing one is NULL: the kernel then acts alone, as net/dcb/dcbnl.c does. */
struct driver {
	const char *name;
	int classes, lossless;
	int restarts; /* DCB starts anew where the agent of the firmware starts or stops */
	void (*reset)(struct nic *n, const char *dev);
	int (*hidden)(const struct nic *n); /* getets and getpfc fail */
	int (*set_ets)(struct nic *n, const char *dev, struct ieee_ets *ets);
	int (*set_pfc)(struct nic *n, const char *dev, const struct ieee_pfc *pfc);
	int (*add_app)(struct nic *n, const char *dev, const struct dcb_app *app);
	int (*del_app)(struct nic *n, const char *dev, const struct dcb_app *app);
	int (*set_dcbx)(struct nic *n, const char *dev, unsigned char want); /* 1: refused */
};

static const struct driver *driver(void);

static char answer[8192]; /* what the next mnl_socket_recvfrom returns */
static size_t answer_len;

static void path(char *out, size_t size, const char *name)
{
	const char *dir = getenv("DCBSHIM_DIR");
	snprintf(out, size, "%s/%s", dir ? dir : ".", name);
}

/* limit is a number of the environment, or the usual one. */
static int limit(const char *name, int usual)
{
	const char *env = getenv(name);
	return env && *env ? atoi(env) : usual;
}

/* agent is whether the firmware's agent for LLDP and DCBX runs. */
static int agent(const char *dev)
{
	char name[256], file[512];
	snprintf(name, sizeof(name), "%.200s.lldp", dev);
	path(file, sizeof(file), name);
	return !access(file, F_OK);
}

static void load(struct nic *n, const char *dev)
{
	char file[512];
	path(file, sizeof(file), dev);
	FILE *f = fopen(file, "rb");
	if (f && fread(n, sizeof(*n), 1, f) == 1) {
		fclose(f);
		if (driver()->restarts && !!(n->dcbx & DCB_CAP_DCBX_LLD_MANAGED) != agent(dev))
			driver()->reset(n, dev);
		return;
	}
	if (f)
		fclose(f);
	memset(n, 0, sizeof(*n));
	n->ets.ets_cap = limit("DCBSHIM_CLASSES", driver()->classes);
	n->pfc.pfc_cap = limit("DCBSHIM_LOSSLESS", driver()->lossless);
	driver()->reset(n, dev);
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
	if (befalls("app", "revert")) {
		memcpy(n->apps, old.apps, sizeof(n->apps));
		n->count = old.count;
	}
	remove(was);
	remove(reads);
	save(n, dev);
}
