/*
 * ethtoolshim lets the unmodified ethtool set the link pause of an mlx5 NIC that is not there: its netlink finds no kernel, as on
 * one before 5.6, and its ioctls are answered from the file FAKE_DIR/pause-IF ("on on": rx and tx), as the script ethtool beside
 * this does. FAKE_DIR/log gets one line for every write. The tunable pfc-prevention-tout is in the file FAKE_DIR/tunable-IF. It takes
 * what mlx5e_set_pfc_prevention_tout of en_ethtool.c takes: 0, 80 to 8000, and 65535, which it keeps as 100.
 * FAKE_DIR/IF.lldp is the private flag fw-lldp-agent of ice.
 *
 *   ETHTOOLSHIM_FAULT   noget: the driver has no link pause; noset: it takes none; noperm: the caller is not root
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int befalls(const char *fault)
{
	const char *env = getenv("ETHTOOLSHIM_FAULT");
	return env && !strcmp(env, fault);
}

struct mnl_socket *mnl_socket_open(int bus)
{
	(void)bus;
	errno = EPROTONOSUPPORT;
	return NULL;
}

static FILE *file(const char *name, const char *dev, const char *mode)
{
	char path[512];
	const char *dir = getenv("FAKE_DIR");
	snprintf(path, sizeof(path), "%s/%s%s", dir ? dir : ".", name, dev);
	return fopen(path, mode);
}

/* flags answers with the private flags of ice (ice_gstrings_priv_flags of ice_ethtool.c), of which only the second ever changes. */
static int flags(const char *dev, void *data)
{
	static const char names[2][ETH_GSTRING_LEN] = {"link-down-on-close", "fw-lldp-agent"};
	struct ethtool_value *v = data;
	char name[64], path[512];
	const char *dir = getenv("FAKE_DIR");
	snprintf(name, sizeof(name), "%.40s.lldp", dev);
	snprintf(path, sizeof(path), "%.400s/%s", dir ? dir : ".", name);
	switch (v->cmd) {
	case ETHTOOL_GSSET_INFO:
		((struct ethtool_sset_info *)data)->data[0] = 2;
		return 0;
	case ETHTOOL_GSTRINGS:
		memcpy(((struct ethtool_gstrings *)data)->data, names, sizeof(names));
		return 0;
	case ETHTOOL_GPFLAGS:
		v->data = access(path, F_OK) ? 0 : 2;
		return 0;
	}
	errno = befalls("noperm") ? EPERM : 0;
	if (errno)
		return -1;
	if (v->data & 2)
		fclose(fopen(path, "w"));
	else
		remove(path);
	FILE *log = file("log", "", "a");
	fprintf(log, "%s fw-lldp-agent %s\n", dev, v->data & 2 ? "on" : "off");
	fclose(log);
	return 0;
}

/* The tunables: the kernel asks for the type and the length of the number, and refuses others (ethtool_tunable_valid). */
static int tunable(const char *dev, struct ethtool_tunable *t)
{
	__u16 n = 8000;
	errno = EOPNOTSUPP;
	if (t->id != ETHTOOL_PFC_PREVENTION_TOUT || befalls("noget"))
		return -1;
	errno = EINVAL;
	if (t->len != sizeof(n) || t->type_id != ETHTOOL_TUNABLE_U16)
		return -1;
	if (t->cmd == ETHTOOL_GTUNABLE) {
		FILE *f = file("tunable-", dev, "r");
		if (f && fscanf(f, "%hu", &n) != 1)
			abort();
		if (f)
			fclose(f);
		memcpy(t->data, &n, sizeof(n));
		return 0;
	}
	memcpy(&n, t->data, sizeof(n));
	n = n == PFC_STORM_PREVENTION_AUTO ? 100 : n;
	if (befalls("noperm"))
		errno = EPERM;
	if (befalls("noperm") || befalls("noset") || (n != PFC_STORM_PREVENTION_DISABLE && (n < 80 || n > 8000)))
		return -1;
	FILE *f = file("tunable-", dev, "w"), *log = file("log", "", "a");
	if (!f || !log)
		abort();
	fprintf(f, "%hu\n", n);
	fprintf(log, "%s ethtool --set-tunable %hu\n", dev, n);
	fclose(f);
	fclose(log);
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	va_start(ap, request);
	struct ifreq *ifr = va_arg(ap, struct ifreq *);
	va_end(ap);
	(void)fd;
	struct ethtool_pauseparam *p = (void *)ifr->ifr_data;
	char rx[8] = "on", tx[8] = "on";
	if (request == SIOCETHTOOL && (p->cmd == ETHTOOL_GSSET_INFO || p->cmd == ETHTOOL_GSTRINGS || p->cmd == ETHTOOL_GPFLAGS ||
				       p->cmd == ETHTOOL_SPFLAGS))
		return flags(ifr->ifr_name, p);
	if (request == SIOCETHTOOL && (p->cmd == ETHTOOL_GTUNABLE || p->cmd == ETHTOOL_STUNABLE))
		return tunable(ifr->ifr_name, (void *)ifr->ifr_data);
	errno = EOPNOTSUPP;
	if (request != SIOCETHTOOL || (p->cmd != ETHTOOL_GPAUSEPARAM && p->cmd != ETHTOOL_SPAUSEPARAM) || befalls("noget"))
		return -1;
	if (p->cmd == ETHTOOL_GPAUSEPARAM) {
		FILE *f = file("pause-", ifr->ifr_name, "r");
		if (f && fscanf(f, "%7s %7s", rx, tx) != 2)
			abort();
		if (f)
			fclose(f);
		p->autoneg = 0;
		p->rx_pause = !strcmp(rx, "on");
		p->tx_pause = !strcmp(tx, "on");
		return 0;
	}
	errno = befalls("noperm") ? EPERM : p->autoneg || befalls("noset") ? EINVAL : 0;
	if (errno)
		return -1;
	FILE *f = file("pause-", ifr->ifr_name, "w"), *log = file("log", "", "a");
	if (!f || !log)
		abort();
	fprintf(f, "%s %s\n", p->rx_pause ? "on" : "off", p->tx_pause ? "on" : "off");
	fprintf(log, "%s ethtool -A %s %s\n", ifr->ifr_name, p->rx_pause ? "on" : "off", p->tx_pause ? "on" : "off");
	fclose(f);
	fclose(log);
	return 0;
}
