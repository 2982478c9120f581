# ---- NICs of mlx4_core: what of a card's settings they have, and the order in which all are set ----

# Every setting, in the order of show. bond and mtu describe the host; they are compared, never written. The driver has
# no DSCP map and no cable length: it takes the PCP for the priority.
keys='bond dcbx ets_bw ets_tc ets_tsa mtu pause pfc roce_mode tos vlan_ip vlan_map'

accept_own() { # KEY VALUE: is it something rocec writes for these NICs?
	case $1 in
	dcbx | ets_bw | ets_tc | ets_tsa | pause | pfc) accept_card "$1" "$2" ;;
	*) false ;;
	esac
}

more_keys() { found=; }

see_all() {
	obs=
	see_host
	see_pause
	see_qos again
	see_cma
	see_vlan
}

rivals() { refuse_lldpad; }

ready() { # both ports of a card are one PCI function
	refuse_driver mlx4_core
	refuse_blind
}

come_up() { wait_card; }

bring_about() {
	look "$conf" pause && [ "$found" = off ] && settle pause see_pause set_pause
	[ -n "$back" ] || settle dcbx see_qos set_dcbx
	settle 'ets_bw ets_tc ets_tsa' see_qos set_ets
	settle pfc see_qos set_pfc
	settle pause see_pause set_pause # again: older drivers switch it on where PFC goes off

	if wants roce_mode tos; then
		come_up || fail "no RDMA device appeared in $patience s; is mlx4_ib loaded, and the port's type Ethernet?"
	fi
	if [ -n "$rdma" ]; then
		was=$failed
		settle 'roce_mode tos' see_cma set_cma
		if [ "$failed" != "$was" ] && slurp "$root/sys/module/mlx4_core/parameters/roce_mode"; then
			say "the vendor's driver has the parameter roce_mode, for all cards of the host; it is $found"
		fi
	fi
	settle 'vlan_ip vlan_map' see_vlan set_vlan
	return "$failed"
}
