# ---- writing: each set_… brings about the keys of one group that are in $diff ----

differs() { # KEY…: sets diff to those whose observed value is not the one wanted
	diff=
	for key in $1; do
		look "$conf" "$key" || continue
		want=$found
		look "$obs" "$key" || found=missing
		[ "$found" = "$want" ] || spared "$key" "$found" || diff="$diff $key"
	done
	[ -n "$diff" ]
}

spared() { # KEY VALUE: whether a setting that only helps may be missing here; what the fabric does not list as such may not
	case $2 in unsupported | unsupported:* | unreadable:*) ;; *) return 1 ;; esac
	[ -z "$back" ] || return 0
	look "$conf" should || return 1
	case ,$found, in *,"$1",*) ;; *) return 1 ;; esac
}

settle() { # "KEY…" READER WRITER: read, write on a difference, read back
	wants $1 || return 0
	obs=
	"$2"
	differs "$1" || return 0
	tell_ways
	[ -n "$diff" ] || return 0
	tried=$diff
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
		case "$tried " in *" $key "*) ;; *) continue ;; esac # tell_ways has told
		fail "$key is $found, not $want${answer:+: $answer}"
	done
}

tell_ways() { # fails for every setting in diff that there is no way to, and takes it out
	rest=
	for key in $diff; do
		look "$obs" "$key" || found=missing
		case $found in
		unsupported | unsupported:* | unreadable:*) fail "$key cannot be set here: $found" ;;
		*) rest="$rest $key" ;;
		esac
	done
	diff=$rest
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

set_cma() { # again where the other port of a bond, which is set at the same time, has removed the directory meanwhile
	for _ in 1 2 3; do
		status=0
		open_cma || mkdir "$cma" || return 1 # for its words
		for key in $diff; do
			look "$conf" "$key"
			case $key in
			roce_mode) put "$cma/ports/$port/default_roce_mode" "$found" ;;
			tos) put "$cma/ports/$port/default_roce_tos" "$found" ;;
			esac || status=1
		done
		[ -d "$cma" ] && break
	done
	rmdir "$cma" 2>/dev/null || : # also one that an older release has left
	return "$status"
}

set_vlan() {
	if look "$conf" create_vlan; then
		make_vlan || return 1
	elif ! await find_vlan; then
		printf 'no interface of VLAN %s on %s; make it in the network configuration of this host\n' "$vlan" "$lower"
		return 1
	fi
	look "$conf" vlan_map
	words "$found" ,
	ip link set dev "$vdev" type vlan egress-qos-map $found
}

make_vlan() { # and notes that it is ours to take away
	look "$conf" bond && lower=$found || lower=$if
	look "$conf" vlan
	vlan=$found
	if ! find_vlan; then
		[ -d "$root/sys/module/8021q" ] || modprobe 8021q || :
		ip link add link "$lower" name "$lower.$vlan" type vlan id "$vlan" || return 1
		[ ! -f "$state/$if.before" ] || printf 'made=%s\n' "$lower.$vlan" >>"$state/$if.before" || return 1
		await find_vlan || return 1
	fi
	ip link set dev "$vdev" up || return 1
	look "$conf" vlan_ip || return 0
	ip address replace "$found" dev "$vdev"
}
