/* The requests of dcb to the kernel. This file continues drivers.c. */

/* keeps returns whether accepted values stay in the driver. */
static int keeps(void) { return driver()->set_dcbx == qede_set_dcbx; }

static int set_ets(struct nic *n, const char *dev, const struct ieee_ets *want)
{
	struct ieee_ets ets = *want;
	struct nic was = *n;
	int err = driver()->set_ets(n, dev, &ets);
	if (err || keeps())
		return err;
	if (spared(&was, dev, "ets", &err)) {
		*n = was;
		return err;
	}
	ets.ets_cap = n->ets.ets_cap;
	n->ets = ets;
	note(dev, "ets");
	return 0;
}

static int change_app(struct nic *n, const char *dev, const struct dcb_app *app, int del)
{
	const struct driver *d = driver();
	struct nic was = *n;
	int err;
	if (app->priority >= 8)
		return -EINVAL;
	if (del)
		err = d->del_app ? d->del_app(n, dev, app) : drop(n, app);
	else
		err = d->add_app ? d->add_app(n, dev, app) : insert(n, app);
	if (!err && befalls("app", "keep"))
		err = -EIO;
	if (err) {
		save(n, dev); /* what a driver leaves behind in the kernel's table stays */
		return err;
	}
	if (spared(&was, dev, "app", &err)) {
		*n = was;
		return err;
	}
	if (app->selector == DSCP)
		note(dev, "%s dscp %u:%u", del ? "del" : "add", app->protocol, app->priority);
	else
		note(dev, "%s app %u %u:%u", del ? "del" : "add", app->selector, app->protocol, app->priority);
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
			err = driver()->set_pfc(n, dev, mnl_attr_get_payload(a));
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
	int hidden = driver()->hidden && driver()->hidden(n);
	if (!hidden && !befalls("ets", "absent"))
		mnl_attr_put(re, DCB_ATTR_IEEE_ETS, sizeof(n->ets), &n->ets);
	if (!hidden && !befalls("pfc", "absent"))
		mnl_attr_put(re, DCB_ATTR_IEEE_PFC, sizeof(pfc), &pfc);
	struct nlattr *table = mnl_attr_nest_start(re, DCB_ATTR_IEEE_APP_TABLE);
	for (unsigned int i = 0; i < n->count; i++)
		mnl_attr_put(re, DCB_ATTR_IEEE_APP, sizeof(n->apps[i]), &n->apps[i]);
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
		int refused = driver()->set_dcbx(&n, dev, want);
		if (!refused && spared(&n, dev, "dcbx", &err)) {
			refused = err == -EPERM; /* the driver's answer is a byte */
			err = err == -EPERM ? 0 : err;
		} else if (!refused && !keeps()) {
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
