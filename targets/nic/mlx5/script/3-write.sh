# ---- writing: each set_… brings about the keys of one group that are in $diff ----

differs() { # KEY…: sets diff to those whose observed value is not the one wanted
	diff=
	for key in $1; do
		look "$conf" "$key" || continue
		want=$found
		look "$obs" "$key" || found=missing
		case $found in "$want" | unsupported) ;; *) diff="$diff $key" ;; esac
	done
	[ -n "$diff" ]
}

settle() { # "KEY…" READER WRITER: read, write on a difference, read back
	wants $1 || return 0
	obs=
	"$2"
	for key in $1; do
		look "$conf" "$key" && want=$found && look "$obs" "$key" && [ "$found" = unsupported ] || continue
		case $key=$want in
		roce=on) ;; # as it is where nothing can switch it
		pfc=* | trust=*) fail "$key cannot be read, and without it nothing is lossless" ;;
		*) say "$key cannot be set here and is left alone" ;;
		esac
	done
	differs "$1" || return 0
	answer=$("$3" 2>&1) && answer=
	words "$answer" "$nl"
	answer=$found
	obs=
	obs_qos=
	"$2"
	! differs "$1" || for key in $diff; do
		look "$conf" "$key"
		want=$found
		look "$obs" "$key" || found=missing
		fail "$key is $found, not $want${answer:+: $answer}"
	done
}

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

bit() { # KEY: 1 where the value file says on
	look "$conf" "$1"
	[ "$found" = on ] && bit=1 || bit=0
}

set_roce() {
	bit roce
	put "$net/device/roce_enable" "$bit"
}

set_vf_roce() {
	for key in $diff; do
		bit "$key"
		put "$net/settings/vf_roce" "${key#vf_roce_} $bit" || return 1
	done
}

set_ecn() {
	for key in $diff; do
		bit "$key"
		case $key in
		ecn_np_prio*) put "$net/ecn/roce_np/enable/${key#ecn_np_prio}" "$bit" ;;
		ecn_rp_prio*) put "$net/ecn/roce_rp/enable/${key#ecn_rp_prio}" "$bit" ;;
		cnp_dscp) put "$cnp_dscp" "$found" ;;
		cnp_prio) put "$cnp_prio" "$found" ;;
		esac || return 1
	done
}

set_cma() {
	# The directory stays: without it nobody could read the values again without writing.
	[ -d "$cma" ] || mkdir -p "$cma" || return 1
	for key in $diff; do
		look "$conf" "$key"
		case $key in
		roce_mode) put "$cma/ports/$port/default_roce_mode" "$found" ;;
		tos) put "$cma/ports/$port/default_roce_tos" "$found" ;;
		esac || return 1
	done
}

set_class() {
	file=$ib/tc/$port/traffic_class
	for key in $diff; do
		look "$conf" "$key"
		case $key in
		traffic_class)
			[ "$found" != off ] || found=-1
			put "$file" "$found"
			;;
		traffic_rules)
			wanted=${found#none}
			for rule in ${exceptions#none}; do
				case " $wanted " in *" $rule "*) continue ;; esac
				put "$file" "tclass=-1,${rule%,tclass=*}" || return 1
			done
			for rule in $wanted; do
				case " $exceptions " in *" $rule "*) continue ;; esac
				put "$file" "tclass=${rule##*,tclass=},${rule%,tclass=*}" || return 1
			done
			;;
		ttl) put "$ttl_file" "$found" ;;
		esac || return 1
	done
}

set_vlan() {
	if ! await find_vlan; then
		printf 'no interface of VLAN %s on %s; make it in the network configuration of this host\n' "$vlan" "$lower"
		return 1
	fi
	look "$conf" vlan_map
	words "$found" ,
	ip link set dev "$vdev" type vlan egress-qos-map $found
}

