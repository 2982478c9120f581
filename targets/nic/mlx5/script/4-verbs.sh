# ---- the verbs ----

wants() { # KEY…: is any of them in the value file?
	for key; do
		! look "$conf" "$key" || return 0
	done
	return 1
}

vf_keys() { # the virtual functions named by the value file
	row=
	for line in $conf; do
		case $line in vf_roce_*) row="$row ${line%%=*}" ;; esac
	done
	found=$row
}

pick_tool() {
	tool=none
	if dcb -N app show dev "$if" >/dev/null 2>&1; then
		tool=dcb
	elif mlnx_qos -i "$if" >/dev/null 2>&1; then
		tool=mlnx_qos
	fi
}

refuse_lldpad() {
	! systemctl is-active --quiet lldpad.service ||
		die "lldpad is active and would overwrite these settings; run: systemctl disable --now lldpad.socket lldpad.service"
}

compare_host() { # what the host's own network configuration decides is said, never changed
	obs=
	see_host
	! differs 'bond mtu' || for key in $diff; do
		look "$conf" "$key" && want=$found
		look "$obs" "$key" && say "$key is $found, the fabric says $want: change the network configuration of this host"
	done
	[ -z "$diff" ]
}

apply() {
	[ -n "$source" ] || die "/etc/rocec/host/$if.conf is not there"
	driver=$(readlink "$net/device/driver") || driver=none
	[ "${driver##*/}" = mlx5_core ] || die "the driver is ${driver##*/}, and these settings are for mlx5_core"
	refuse_lldpad
	compare_host
	if wants pfc; then
		[ "$tool" != none ] || die "neither dcb (iproute2) nor mlnx_qos can read its priorities; install iproute2 6.1 or later"
	fi
	bring_about
}

restore() { # what show printed once, but for what has no value and what the host itself decides
	bring_about
	if look "$conf" dcbx && [ "$found" = firmware ] && ! mlnx_qos -i "$if" -d fw >/dev/null 2>&1; then
		say "DCBX stays with the host: mlnx_qos is not here, and dcb cannot give it back to the firmware"
	fi
	return "$failed"
}

bring_about() {
	# Link pause and PFC exclude each other: what goes off goes first.
	look "$conf" pause && [ "$found" = off ] && settle pause see_pause set_pause
	[ "$verb" = restore ] || settle dcbx see_qos set_dcbx
	settle 'ets_bw ets_tc ets_tsa' see_qos set_ets
	settle "trust $dscp_keys" see_qos set_trust
	settle cable see_qos set_cable
	settle pfc see_qos set_pfc
	settle pause see_pause set_pause
	settle roce see_roce set_roce
	vf_keys
	settle "$found" see_vf_roce set_vf_roce

	if wants roce_mode tos traffic_class traffic_rules ttl; then
		[ -d "$root/sys/kernel/config/rdma_cm" ] || modprobe rdma_cm || :
		await find_rdma ||
			fail "no RDMA device appeared in $patience s; is RoCE enabled in the NIC's firmware, and mlx5_ib loaded?"
	fi
	# The kernel's own driver shows the CNP marking together with the RDMA device, so this comes after the wait.
	ecn='cnp_dscp cnp_prio'
	for prio in 0 1 2 3 4 5 6 7; do ecn="$ecn ecn_np_prio$prio ecn_rp_prio$prio"; done
	settle "$ecn" see_ecn set_ecn
	if [ -n "$rdma" ]; then
		settle 'roce_mode tos' see_cma set_cma
		settle 'traffic_class traffic_rules ttl' see_class set_class
	fi
	settle vlan_map see_vlan set_vlan
	return "$failed"
}

check() {
	[ -n "$source" ] || die "/etc/rocec/host/$if.conf is not there"
	refuse_lldpad
	see_all
	vf_keys
	if differs "$keys $found"; then
		for key in $diff; do
			look "$conf" "$key" && want=$found
			look "$obs" "$key" || found=missing
			printf '%s is %s, not %s\n' "$key" "$found" "$want"
		done
		return 1
	fi
}

show() {
	see_all
	vf_keys
	for key in $keys $found; do
		! look "$obs" "$key" || printf '%s=%s\n' "$key" "$found"
	done
}

gids() {
	[ -n "$rdma" ] && [ -d "$ib/ports/$port/gids" ] || return 0
	set +f
	for path in "$ib/ports/$port/gids"/*; do
		slurp "$path" || continue
		gid=$found
		case $gid in *[!0:]*) ;; *) continue ;; esac # an empty slot
		nth=${path##*/}
		slurp "$ib/ports/$port/gid_attrs/types/$nth" || continue
		type=$found
		slurp "$ib/ports/$port/gid_attrs/ndevs/$nth" || found=-
		printf '%s %s %s %s\n' "$nth" "$found" "$gid" "$type"
	done
	set -f
}

verb=${1:-}
if=${2:-}
if [ "$*" = 'check --json' ]; then
	check_json
	exit
fi
case $verb in
apply | check) [ $# -eq 2 ] ;;
restore) [ $# -ge 3 ] && [ -f "$3" ] ;;
show | gids) [ $# -ge 2 ] ;;
*) false ;;
esac && netdev "$if" && number "$patience" 0 600 || {
	printf '%s\n' 'usage: rocec-host apply|check IF' '       rocec-host check --json' \
		'       rocec-host restore IF FILE [KEY=VALUE]...' \
		'       rocec-host show|gids IF [KEY=VALUE]...' >&2
	exit 64
}
shift 2
net=$root/sys/class/net/$if
[ -e "$net" ] || die "there is no such interface"
if [ "$verb" = restore ]; then
	saved=$1
	shift
	while IFS= read -r line; do
		case $line in bond=none) ;; *) set -- "$@" "$line" ;; esac
	done <"$saved"
fi
load "$@"
pick_tool
find_rdma || :
"$verb"
