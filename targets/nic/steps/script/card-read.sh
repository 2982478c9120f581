# ---- cards: PCI functions whose driver has priorities (DCB) and an RDMA device ----

list() { # TEXT TEST…: eight entries parted by commas, each passing the test
	case $1 in *[!0-9a-z,]* | ,* | *, | *,,*) return 1 ;; esac
	words "$1" ,
	entry_test=$2
	shift 2
	count=0
	for entry in $found; do
		"$entry_test" "$entry" "$@" || return 1
		count=$((count + 1))
	done
	[ "$count" -eq 8 ]
}

algorithm() { [ "$1" = ets ] || [ "$1" = strict ] || [ "$back$1" = yesvendor ]; }

codepoints() { # LIST: "none", or DSCP values and ranges parted by commas; found is the ranges
	found=
	[ "$1" != none ] || return 0
	case $1 in '' | *[!0-9,-]* | ,* | *, | *,,*) return 1 ;; esac
	words "$1" ,
	for entry in $found; do
		number "${entry%%-*}" 0 63 && number "${entry#*-}" "${entry%%-*}" 63 || return 1
	done
}

accept_card() { # KEY VALUE: is it a setting of the priorities of a port?
	case $1 in
	cable) number "$2" 1 999 ;;
	dcbx) [ "$2" = host ] || [ "$back$2" = yesfirmware ] ;;
	dscp_prio[0-7]) codepoints "$2" ;;
	ets_bw) list "$2" number 0 100 ;;
	ets_tc) list "$2" number 0 7 ;;
	ets_tsa) list "$2" algorithm ;;
	pause) [ "$2" = on ] || [ "$2" = off ] ;;
	pfc) list "$2" number 0 1 ;;
	trust) [ "$2" = dscp ] || [ "$2" = pcp ] ;;
	*) false ;;
	esac
}

obs_qos= # what the last read of the port's DCB settings gave
tool=    # what reads and writes them: dcb, mlnx_qos, lldptool or none; empty: not looked for yet

find_rdma() { # sets rdma and port; fails while the interface has no RDMA device
	rdma=
	port=1
	look "$conf" bond && bond=$found || bond=
	set +f
	[ -n "$bond" ] || set -- "$net"/device/infiniband/*
	if [ $# -eq 0 ] || [ ! -e "$1" ]; then
		# The device of a RoCE LAG hangs off one card function only, so it is known by the netdev of its first GID.
		set --
		for path in "$root"/sys/class/infiniband/*/ports/*/gid_attrs/ndevs/0; do
			slurp "$path" && [ "$found" = "${bond:-$if}" ] || continue
			port=${path%/gid_attrs/ndevs/0}
			port=${port##*/}
			set -- "${path%/ports/*}"
			break
		done
		[ $# -gt 0 ] || [ -z "$bond" ] || set -- "$net"/device/infiniband/*
		if [ -n "$bond" ] && { [ $# -eq 0 ] || [ ! -e "$1" ]; }; then
			slurp "$root/sys/class/net/$bond/bonding/slaves" || found=
			for slave in $found; do
				set -- "$root/sys/class/net/$slave"/device/infiniband/*
				[ ! -e "$1" ] || break
			done
		fi
	fi
	set -f
	[ $# -gt 0 ] && [ -e "$1" ] || return 1
	rdma=${1##*/}
	ib=$root/sys/class/infiniband/$rdma
	cma=$root/sys/kernel/config/rdma_cm/$rdma
	# A card whose ports are one PCI function has one device with a port for each.
	[ -n "$bond" ] || [ ! -e "$ib/ports/2" ] || ! slurp "$net/dev_port" || port=$((found + 1))
}

column() { # "0:a 1:b …": a,b,…
	row=
	for word in $1; do row=$row,${word#*:}; done
	found=${row#,}
	[ -n "$found" ] || found=$untold
}

read_dcb() {
	dcbx=$untold
	if ask dcb dcbx show dev "$if"; then
		dcbx=firmware
		for word in $text; do case $word in host) dcbx=host ;; esac; done
	fi
	ask dcb pfc show dev "$if" || :
	after prio-pfc "$text"
	row=
	for word in $found; do
		case $word in *:on) row=$row,1 ;; *) row=$row,0 ;; esac
	done
	pfc=${row#,}
	cable=
	for word in $text; do
		[ "$cable" != next ] || cable=$word
		[ "$word" != delay ] || cable=next
	done
	ask dcb ets show dev "$if" || :
	after prio-tc "$text"
	column "$found"
	ets_tc=$found
	after tc-bw "$text"
	shares=$found
	after tc-tsa "$text"
	column "$found"
	ets_tsa=$found
	trust=$untold
	! ask dcb -N app show dev "$if" || trust=pcp
	after dscp-prio "$text"
	pairs=$found
	[ -z "$pairs" ] || trust=dscp
}

read_mlnx_qos() {
	ask mlnx_qos -i "$if" -a || :
	dcbx=firmware
	trust=$untold
	pairs=
	pfc=
	cable=
	tcs='- - - - - - - -' # TC of each priority
	tsas=
	shares=
	while read -r one two three four five six seven eight rest; do
		case "$one $two" in
		'DCBX mode:') [ "$three" != OS ] || dcbx=host ;;
		'Priority trust') trust=$four ;;
		prio:[0-7]\ dscp:*)
			words "${two#dscp:}" ,
			for word in $found; do
				case $word in 0?) word=${word#0} ;; esac
				pairs="$pairs $word:${one#prio:}"
			done
			;;
		'Cable len:') cable=$three ;;
		enabled\ [01]) pfc=$two,$three,$four,$five,$six,$seven,$eight,${rest%%[!0-9]*} ;;
		'tc: '[0-7])
			tc=$two
			case " $four $five $six $seven $eight " in
			*' ets, '*) tsas="$tsas $tc:ets" ;;
			*' strict '*) tsas="$tsas $tc:strict" ;;
			*) tsas="$tsas $tc:vendor" ;;
			esac
			for word in $six $seven $eight $rest; do
				case $word in [0-9]*%) shares="$shares $tc:${word%\%}" ;; esac
			done
			;;
		'priority: '[0-7])
			set -- $tcs
			tcs=
			for nth in 0 1 2 3 4 5 6 7; do
				[ "$nth" = "$two" ] && tcs="$tcs $tc" || tcs="$tcs $1"
				shift
			done
			;;
		esac
	done <<-END
		$text
	END
	column "$tcs"
	ets_tc=$found
	column "$tsas"
	ets_tsa=$found
	[ -n "$text" ] || dcbx=$untold
}

see_qos() { # [again]: DCBX, ETS, trust with the DSCP map, cable length, PFC: by dcb, or else by mlnx_qos
	if [ -z "$obs_qos" ] || [ "${1:-}" = again ]; then
		[ -n "$tool" ] || pick_tool
		untold="unsupported: $tool does not tell it"
		case $tool in
		none)
			untold='unsupported: no tool reads the priorities of this interface; install iproute2 5.12 or later (dcb)'
			dcbx=$untold ets_tc=$untold ets_tsa=$untold trust=$untold
			pfc='' cable='' pairs='' shares=''
			;;
		*) "read_$tool" ;;
		esac
		before=$obs
		obs=
		emit dcbx "$dcbx"
		emit trust "$trust"
		spell_map
		emit ets_tc "$ets_tc"
		emit ets_tsa "$ets_tsa"
		spell_shares
		case $cable in '' | 0 | *[!0-9]*) cable='unsupported: the driver has no cable length' ;; esac
		emit cable "$cable"
		emit pfc "${pfc:-$untold}"
		obs_qos=$obs
		obs=$before
	fi
	obs=$obs$obs_qos
}

spell_map() { # emits, for each priority, the DSCP values it gets; pairs are in ascending order, or get there first
	m0='' m1='' m2='' m3='' m4='' m5='' m6='' m7=''
	first=
	last=-2
	at=nothing
	for pair in $pairs :; do
		dscp=${pair%:*}
		prio=${pair#*:}
		# A shell that compares or adds what is no number may run it.
		[ "$pair" = : ] || number "$dscp" 0 63 || continue
		if [ "$prio" = "$at" ] && [ "$dscp" -eq $((last + 1)) ]; then
			last=$dscp
			continue
		fi
		if [ -n "$dscp" ] && [ "$dscp" -lt "$last" ]; then
			pairs=$(printf '%s\n' $pairs | LC_ALL=C sort -n)
			spell_map
			return
		fi
		range=$first
		[ "$first" = "$last" ] || range=$first-$last
		case $at in
		0) m0=${m0:+$m0,}$range ;;
		1) m1=${m1:+$m1,}$range ;;
		2) m2=${m2:+$m2,}$range ;;
		3) m3=${m3:+$m3,}$range ;;
		4) m4=${m4:+$m4,}$range ;;
		5) m5=${m5:+$m5,}$range ;;
		6) m6=${m6:+$m6,}$range ;;
		7) m7=${m7:+$m7,}$range ;;
		esac
		first=$dscp
		last=$dscp
		at=$prio
	done
	rest=none
	[ "$trust" != "$untold" ] || rest=$untold
	emit dscp_prio0 "${m0:-$rest}"
	emit dscp_prio1 "${m1:-$rest}"
	emit dscp_prio2 "${m2:-$rest}"
	emit dscp_prio3 "${m3:-$rest}"
	emit dscp_prio4 "${m4:-$rest}"
	emit dscp_prio5 "${m5:-$rest}"
	emit dscp_prio6 "${m6:-$rest}"
	emit dscp_prio7 "${m7:-$rest}"
}

spell_shares() { # emits the share of each TC; a TC outside ETS has none, whatever the driver answers
	if [ "$ets_tsa" = "$untold" ]; then
		emit ets_bw "$untold"
		return
	fi
	words "$ets_tsa" ,
	row=
	nth=0
	for word in $found; do
		share=0
		if [ "$word" = ets ]; then
			share=" $shares "
			share=${share#*" $nth:"}
			share=${share%% *}
		fi
		row=$row,$share
		nth=$((nth + 1))
	done
	emit ets_bw "${row#,}"
}

see_pause() {
	rx=
	tx=
	ask ethtool -a "$if" || :
	while read -r one two _; do
		case $one in RX:) rx=$two ;; TX:) tx=$two ;; esac
	done <<-END
		$text
	END
	case $rx,$tx in
	off,off) emit pause off ;;
	on,on) emit pause on ;;
	on,off) emit pause rx ;;
	off,on) emit pause tx ;;
	*) emit pause 'unsupported: ethtool does not tell it; install ethtool' ;;
	esac
}
