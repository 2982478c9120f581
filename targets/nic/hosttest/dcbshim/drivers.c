/* The rules of the drivers. This file continues state.c, and dcbshim.c continues this one. */

static int compare(const struct dcb_app *a, const struct dcb_app *b)
{
	int d = a->selector - b->selector;
	d = d ? d : a->protocol - b->protocol;
	return d ? d : a->priority - b->priority;
}

/* insert is dcb_ieee_setapp of net/dcb/dcbnl.c: the same entry again is refused, another priority of a protocol is not. */
static int insert(struct nic *n, const struct dcb_app *app)
{
	unsigned int at = 0;
	while (at < n->count && compare(&n->apps[at], app) < 0)
		at++;
	if (at < n->count && !compare(&n->apps[at], app))
		return -EEXIST;
	if (n->count == APPS)
		return -ENOMEM;
	memmove(&n->apps[at + 1], &n->apps[at], (n->count - at) * sizeof(*app));
	n->apps[at] = *app;
	n->count++;
	return 0;
}

/* drop is dcb_ieee_delapp of net/dcb/dcbnl.c. */
static int drop(struct nic *n, const struct dcb_app *app)
{
	for (unsigned int at = 0; at < n->count; at++) {
		if (compare(&n->apps[at], app))
			continue;
		memmove(&n->apps[at], &n->apps[at + 1], (n->count - at - 1) * sizeof(*app));
		n->count--;
		return 0;
	}
	return -ENOENT;
}

/* mapped is the entry of a DSCP, or NULL. */
static struct dcb_app *mapped(struct nic *n, int dscp)
{
	for (unsigned int at = 0; at < n->count; at++)
		if (n->apps[at].selector == DSCP && (dscp < 0 || n->apps[at].protocol == dscp))
			return &n->apps[at];
	return NULL;
}

/* mlx5: en_dcbnl.c of drivers/net/ethernet/mellanox/mlx5/core. */

static void mlx5_reset(struct nic *n, const char *dev)
{
	(void)dev;
	n->pfc.delay = 7;
	for (int i = 0; i < 8; i++) {
		n->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_VENDOR;
		n->ets.tc_tx_bw[i] = 100;
		n->ets.prio_tc[i] = i == 0 ? 1 : i == 1 ? 0 : i;
	}
}

/* shares is the sum of the shares of the classes with ETS; -1: there are none. */
static int shares(const struct ieee_ets *ets)
{
	int sum = 0, any = 0;
	for (int i = 0; i < 8; i++) {
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			continue;
		any = 1;
		sum += ets->tc_tx_bw[i];
	}
	return any ? sum : -1;
}

static int mlx5_set_ets(struct nic *n, const char *dev, struct ieee_ets *ets)
{
	(void)n;
	(void)dev;
	for (int i = 0; i < 8; i++)
		if (ets->prio_tc[i] >= 8)
			return -ENOTSUP;
	if (shares(ets) >= 0 && shares(ets) != 100)
		return -EINVAL;
	for (int i = 0; i < 8; i++)
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			ets->tc_tx_bw[i] = 100; /* how mlx5 reports the others */
	return 0;
}

static int mlx5_set_pfc(struct nic *n, const char *dev, const struct ieee_pfc *pfc)
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

/* mlx5e_dcbnl_ieee_setapp: a new entry of a DSCP takes the place of the former one. */
static int mlx5_add_app(struct nic *n, const char *dev, const struct dcb_app *app)
{
	struct dcb_app *old;
	(void)dev;
	if (app->selector != DSCP || app->protocol >= 64)
		return -EINVAL;
	while ((old = mapped(n, app->protocol))) {
		struct dcb_app was = *old;
		drop(n, &was);
	}
	return insert(n, app);
}

static int mlx5_del_app(struct nic *n, const char *dev, const struct dcb_app *app)
{
	(void)dev;
	return app->selector != DSCP || app->protocol >= 64 ? -EINVAL : drop(n, app);
}

static int mlx5_set_dcbx(struct nic *n, const char *dev, unsigned char want)
{
	(void)n;
	(void)dev;
	return (want & DCB_CAP_DCBX_LLD_MANAGED) || !(want & DCB_CAP_DCBX_HOST);
}

/* mlx4: en_dcb_nl.c of drivers/net/ethernet/mellanox/mlx4; it has no operation for APP entries. */

static void mlx4_reset(struct nic *n, const char *dev)
{
	(void)dev;
	n->dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
}

static int mlx4_set_ets(struct nic *n, const char *dev, struct ieee_ets *ets)
{
	(void)n;
	(void)dev;
	for (int i = 0; i < 8; i++)
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS && ets->tc_tsa[i] != IEEE_8021QAZ_TSA_STRICT)
			return -EOPNOTSUPP;
	return shares(ets) >= 0 && shares(ets) != 100 ? -EINVAL : 0;
}

static int plain_pfc(struct nic *n, const char *dev, const struct ieee_pfc *pfc)
{
	int err;
	if (spared(n, dev, "pfc", &err))
		return err;
	note(dev, "pfc %02x", pfc->pfc_en);
	n->pfc.pfc_en = pfc->pfc_en;
	return 0;
}

static int mlx4_set_dcbx(struct nic *n, const char *dev, unsigned char want)
{
	const unsigned char modes = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE;
	(void)n;
	(void)dev;
	return (want & DCB_CAP_DCBX_LLD_MANAGED) || (want & modes) != (DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
}

/* bnxt: bnxt_dcb.c of drivers/net/ethernet/broadcom/bnxt. */

/* bnxt_dcb_init */
static void bnxt_reset(struct nic *n, const char *dev)
{
	n->dcbx = DCB_CAP_DCBX_VER_IEEE | (agent(dev) ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST);
}

/* hosted is the first check of every writer of bnxt. */
static int hosted(const struct nic *n)
{
	return (n->dcbx & DCB_CAP_DCBX_VER_IEEE) && (n->dcbx & DCB_CAP_DCBX_HOST);
}

/* bnxt_dcbnl_ieee_setets and bnxt_ets_validate. The check of a class without a share is that of Linux 6.17; earlier ones count all eight
 * classes. */
static int bnxt_set_ets(struct nic *n, const char *dev, struct ieee_ets *ets)
{
	int used = 0, sum = 0, zero = 0;
	(void)dev;
	if (!hosted(n))
		return -EINVAL;
	for (int i = 0; i < 8; i++) {
		if (ets->prio_tc[i] > n->ets.ets_cap || ((ets->tc_tx_bw[i] || ets->tc_tsa[i]) && i > n->ets.ets_cap))
			return -EINVAL;
		used = ets->prio_tc[i] >= used ? ets->prio_tc[i] + 1 : used;
	}
	for (int i = 0; i < used && i < 8; i++) {
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
			sum += ets->tc_tx_bw[i];
			zero |= !ets->tc_tx_bw[i];
		} else if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_STRICT) {
			return -EOPNOTSUPP; /* the driver's ENOTSUPP has no text in the C library */
		}
	}
	if (sum > 100 || (zero && sum == 100))
		return -EINVAL;
	n->scheduled = 1;
	return 0;
}

/* bnxt_dcbnl_ieee_setpfc and bnxt_hwrm_queue_pfc_cfg: PFC needs ETS before it, and counts the classes of its priorities. */
static int bnxt_set_pfc(struct nic *n, const char *dev, const struct ieee_pfc *pfc)
{
	int classes = 0, count = 0;
	if (!hosted(n) || !n->scheduled)
		return -EINVAL;
	for (int i = 0; i < 8; i++)
		if (pfc->pfc_en & 1 << i)
			classes |= 1 << n->ets.prio_tc[i];
	for (int i = 0; i < 8; i++)
		count += classes >> i & 1;
	return count > n->pfc.pfc_cap ? -EINVAL : plain_pfc(n, dev, pfc);
}

/* bnxt_dcbnl_ieee_setapp: the kernel's table keeps every priority of a DSCP; the card has the last one. */
static int bnxt_add_app(struct nic *n, const char *dev, const struct dcb_app *app)
{
	(void)dev;
	return !hosted(n) || (app->selector == DSCP && app->protocol > 63) ? -EINVAL : insert(n, app);
}

static int bnxt_del_app(struct nic *n, const char *dev, const struct dcb_app *app)
{
	(void)dev;
	return !hosted(n) || (app->selector == DSCP && app->protocol > 63) ? -EINVAL : drop(n, app);
}

/* bnxt_dcbnl_setdcbx */
static int bnxt_set_dcbx(struct nic *n, const char *dev, unsigned char want)
{
	if (n->dcbx & DCB_CAP_DCBX_LLD_MANAGED)
		return 1;
	return (want & DCB_CAP_DCBX_HOST) && (agent(dev) || (want & DCB_CAP_DCBX_VER_CEE) || !(want & DCB_CAP_DCBX_VER_IEEE));
}

/* ice: ice_dcb_nl.c and ice_dcb_lib.c of drivers/net/ethernet/intel/ice. */

/* ice_dcb_sw_dflt_cfg, and the modes of ice_init_pf_dcb, which ice_set_priv_flags runs again where the agent starts or stops */
static void ice_defaults(struct nic *n)
{
	int cap = n->ets.ets_cap;
	memset(&n->ets, 0, sizeof(n->ets));
	n->ets.ets_cap = cap;
	n->ets.tc_tx_bw[0] = 100;
	n->ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	n->pfc.pfc_en = 0;
}

static void ice_reset(struct nic *n, const char *dev)
{
	ice_defaults(n);
	n->dcbx = DCB_CAP_DCBX_VER_IEEE | (agent(dev) ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST);
}

/* ice_shut is the first check of every writer: the firmware decides, the mode is not IEEE, or the port is in a bond. */
static int ice_shut(const struct nic *n, const char *dev)
{
	char master[512];
	const char *root = getenv("ROCEC_ROOT");
	snprintf(master, sizeof(master), "%.300s/sys/class/net/%.100s/master", root ? root : "", dev);
	return (n->dcbx & DCB_CAP_DCBX_LLD_MANAGED) || !(n->dcbx & DCB_CAP_DCBX_VER_IEEE) || !access(master, F_OK);
}

/* ice_dcbnl_setets and ice_dcb_bwchk: with DSCP the classes of priorities stay, and the shares of the used classes sum to 100 or 0. */
static int ice_set_ets(struct nic *n, const char *dev, struct ieee_ets *ets)
{
	int used = 0, count = 0, sum = 0;
	if (ice_shut(n, dev))
		return -EINVAL;
	if (mapped(n, -1))
		memcpy(ets->prio_tc, n->ets.prio_tc, sizeof(ets->prio_tc));
	for (int i = 0; i < 8; i++)
		used |= 1 << ets->prio_tc[i];
	while (used >> count & 1)
		count++;
	if (used >> count || !count)
		count = 1; /* ice_dcb_get_num_tc: classes with a gap between them count as one */
	for (int i = 0; i < count; i++)
		sum += ets->tc_tx_bw[i];
	if (count > 1 && sum && sum != 100)
		return -EINVAL;
	if (count == 1 || !sum)
		ets->tc_tx_bw[0] = 100;
	return 0;
}

static int ice_set_pfc(struct nic *n, const char *dev, const struct ieee_pfc *pfc)
{
	return ice_shut(n, dev) ? -EINVAL : plain_pfc(n, dev, pfc);
}

/* ice_dcbnl_setapp: DSCP only, once for each DSCP. The first entry switches to DSCP, with the driver's own ETS. */
static int ice_add_app(struct nic *n, const char *dev, const struct dcb_app *app)
{
	int first = !mapped(n, -1), err;
	if (app->selector != DSCP || ice_shut(n, dev) || app->protocol >= 64 || app->priority >= n->ets.ets_cap)
		return -EINVAL;
	if (mapped(n, app->protocol)) {
		err = insert(n, app);
		if (!err)
			drop(n, app);
		return err ? err : -EINVAL;
	}
	err = insert(n, app);
	for (int i = 0; first && !err && i < n->ets.ets_cap; i++) {
		n->ets.tc_tx_bw[i] = i ? 0 : 100;
		n->ets.tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
		n->ets.prio_tc[i] = i;
	}
	return err;
}

/* ice_dcbnl_delapp: without the last entry the port goes back to PCP, with the driver's defaults. */
static int ice_del_app(struct nic *n, const char *dev, const struct dcb_app *app)
{
	if (ice_shut(n, dev))
		return -EINVAL;
	int err = drop(n, app);
	if (!err && app->selector == DSCP && !mapped(n, -1))
		ice_defaults(n);
	return err;
}

/* ice_dcbnl_setdcbx: the mode that is there already is refused too. */
static int ice_set_dcbx(struct nic *n, const char *dev, unsigned char want)
{
	return agent(dev) || (want & DCB_CAP_DCBX_LLD_MANAGED) || ((want & DCB_CAP_DCBX_VER_IEEE) && (want & DCB_CAP_DCBX_VER_CEE)) ||
	       !(want & DCB_CAP_DCBX_HOST) || want == n->dcbx || ((want & DCB_CAP_DCBX_VER_CEE) && mapped(n, -1));
}

/*
 * qede: qede_dcbnl.c of drivers/net/ethernet/qlogic/qede and qed_dcbx.c of qed. It has no operation that deletes APP entries. Every setter
 * calls qed_dcbx_config_params without hw_commit: the value stays in the driver, and only qed_dcbnl_setall (CEE) passes it on.
 */

/* qed_dcbnl_getdcbx: the mode that the firmware and the switch have agreed on; none without DCBX. */
static void qede_reset(struct nic *n, const char *dev)
{
	n->dcbx = agent(dev) ? DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE : 0;
}

/* qed_dcbnl_get_ieee_ets, qed_dcbnl_get_ieee_pfc: nothing is readable or writable unless DCBX works in the mode IEEE. */
static int qede_hidden(const struct nic *n) { return !(n->dcbx & DCB_CAP_DCBX_VER_IEEE); }

static int qede_set_ets(struct nic *n, const char *dev, struct ieee_ets *ets)
{
	(void)dev;
	(void)ets;
	return qede_hidden(n) ? -EINVAL : 0;
}

static int qede_set_pfc(struct nic *n, const char *dev, const struct ieee_pfc *pfc)
{
	(void)dev;
	(void)pfc;
	return qede_hidden(n) ? -EINVAL : 0;
}

/* qede_dcbnl_ieee_setapp, qed_dcbnl_ieee_setapp: the kernel's table keeps also an entry that the card refuses, such as that of a DSCP. */
static int qede_add_app(struct nic *n, const char *dev, const struct dcb_app *app)
{
	int err = insert(n, app);
	(void)dev;
	if (err)
		return err;
	return app->selector < IEEE_8021QAZ_APP_SEL_ETHERTYPE || app->selector > IEEE_8021QAZ_APP_SEL_ANY || qede_hidden(n) ? -EINVAL : 0;
}

/* qed_dcbnl_setdcbx: it takes any mode with IEEE, CEE or static. */
static int qede_set_dcbx(struct nic *n, const char *dev, unsigned char want)
{
	(void)n;
	(void)dev;
	return !(want & (DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_STATIC));
}

static const struct driver drivers[] = {
	{"mlx5", 8, 8, 0, mlx5_reset, NULL, mlx5_set_ets, mlx5_set_pfc, mlx5_add_app, mlx5_del_app, mlx5_set_dcbx},
	{"mlx4", 8, 8, 0, mlx4_reset, NULL, mlx4_set_ets, plain_pfc, NULL, NULL, mlx4_set_dcbx},
	{"bnxt", 8, 1, 0, bnxt_reset, NULL, bnxt_set_ets, bnxt_set_pfc, bnxt_add_app, bnxt_del_app, bnxt_set_dcbx},
	{"ice", 8, 8, 1, ice_reset, NULL, ice_set_ets, ice_set_pfc, ice_add_app, ice_del_app, ice_set_dcbx},
	{"qede", 8, 8, 0, qede_reset, qede_hidden, qede_set_ets, qede_set_pfc, qede_add_app, NULL, qede_set_dcbx},
};

static const struct driver *driver(void)
{
	const char *env = getenv("DCBSHIM_DRIVER");
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(env && *env ? env : "mlx5", drivers[i].name))
			return &drivers[i];
	fprintf(stderr, "dcbshim: no driver %s\n", env);
	abort();
}
