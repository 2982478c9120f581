# ---- setting a card: each set_… brings about the keys of one group that are in $diff ----

indexed() { # LIST: "a,b,…" as 0:a 1:b …
	words "$1" ,
	row=
	nth=0
	for word in $found; do
		row="$row $nth:$word"
		nth=$((nth + 1))
	done
	found=$row
}

set_pause() {
	look "$conf" pause
	ethtool -A "$if" rx "$found" tx "$found"
}

set_dcbx() {
	case $tool in
	dcb) dcb dcbx set dev "$if" host ieee ;;
	mlnx_qos) mlnx_qos -i "$if" -d os >/dev/null ;;
	esac
}

set_ets() { # all three vectors at once: the kernel judges the whole
	look "$conf" ets_tsa && tsa=$found
	look "$conf" ets_bw && bw=$found
	look "$conf" ets_tc && tc=$found
	case $tool in
	dcb)
		indexed "$tsa" && tsa=$found
		indexed "$bw" && bw=$found
		indexed "$tc" && tc=$found
		dcb ets set dev "$if" willing off tc-tsa $tsa tc-bw $bw prio-tc $tc
		;;
	mlnx_qos) mlnx_qos -i "$if" -s "$tsa" -t "$bw" -p "$tc" >/dev/null ;;
	esac
}

set_trust() { # the DSCP map decides the trust: mlx5 trusts DSCP while any entry is there
	look "$conf" trust
	if [ "$found" = pcp ]; then
		case $tool in
		dcb) dcb app flush dev "$if" dscp-prio ;;
		mlnx_qos) mlnx_qos -i "$if" --trust pcp >/dev/null ;;
		esac
		return
	fi
	if [ "$tool" = mlnx_qos ] && [ "$trust" != dscp ]; then
		mlnx_qos -i "$if" --trust dscp >/dev/null || return 1
		pairs=
	fi
	set --
	for prio in 0 1 2 3 4 5 6 7; do
		look "$conf" "dscp_prio$prio" && codepoints "$found" || return 1
		for entry in $found; do
			dscp=${entry%%-*}
			while [ "$dscp" -le "${entry#*-}" ]; do
				case "$tool $pairs " in
				*" $dscp:$prio "*) ;;
				dcb*) set -- "$@" "$dscp:$prio" ;;
				mlnx_qos*) set -- "$@" --dscp2prio "set,$dscp,$prio" ;;
				esac
				dscp=$((dscp + 1))
			done
		done
	done
	[ $# -gt 0 ] || return 0
	case $tool in
	dcb) dcb app add dev "$if" dscp-prio "$@" ;;
	mlnx_qos) mlnx_qos -i "$if" "$@" >/dev/null ;;
	esac
}

set_cable() {
	look "$conf" cable
	case $tool in
	dcb) dcb pfc set dev "$if" delay "$found" ;;
	mlnx_qos) mlnx_qos -i "$if" --cable_len "$found" >/dev/null ;;
	esac
}

set_pfc() {
	look "$conf" pfc
	case $tool in
	dcb)
		indexed "$found"
		set --
		for word in $found; do
			case $word in *:1) set -- "$@" "${word%:1}:on" ;; *) set -- "$@" "${word%:0}:off" ;; esac
		done
		dcb pfc set dev "$if" prio-pfc "$@"
		;;
	mlnx_qos) mlnx_qos -i "$if" -f "$found" >/dev/null ;;
	esac
}

pick_tool() { # by what works on this interface
	tool=none
	if dcb -N app show dev "$if" >/dev/null 2>&1; then
		tool=dcb
	elif mlnx_qos -i "$if" >/dev/null 2>&1; then
		tool=mlnx_qos
	fi
}

refuse_driver() { # MODULE
	driver=$(readlink "$net/device/driver") || driver=none
	[ "${driver##*/}" = "$1" ] || die "the driver is ${driver##*/}, and these settings are for $1"
}

refuse_blind() { # without a tool nobody knows whether PFC is on
	wants pfc || return 0
	[ -n "$tool" ] || pick_tool
	[ "$tool" != none ] || die "neither dcb (iproute2) nor mlnx_qos can read its priorities; install iproute2 5.12 or later"
}

refuse_twin() { # two interfaces of one PCI function would each undo what the other sets
	here=$(readlink "$net/device") || return 0
	set +f
	for path in "$root"/etc/rocec/host/*.conf; do
		set -f
		other=${path##*/}
		other=${other%.conf}
		[ "$other" != "$if" ] && [ "$other" != '*' ] || continue
		there=$(readlink "$root/sys/class/net/$other/device") || continue
		[ "${there##*/}" != "${here##*/}" ] ||
			die "$other has a value file, too, and is the same PCI function (${here##*/}); leave one of the two in the fabric"
	done
	set -f
}

refuse_lldpad() {
	! systemctl is-active --quiet lldpad.service ||
		die "lldpad is active and would overwrite these settings; run: systemctl disable --now lldpad.socket lldpad.service"
}

free_dcbx() { # where the firmware decided once, it decides again
	look "$conf" dcbx && [ "$found" = firmware ] || return 0
	mlnx_qos -i "$if" -d fw >/dev/null 2>&1 ||
		say "DCBX stays with the host: mlnx_qos is not here, and dcb cannot give it back to the firmware"
}

wait_card() { # for the RDMA device and the module that holds its defaults
	[ -d "$root/sys/kernel/config/rdma_cm" ] || modprobe rdma_cm || :
	await find_rdma
}
