# ---- what the card stores (NVRAM): the firmware uses it from the next reset of the card on ----
#
#   TOOL stored IF nvram_NAME=VALUE…   print what the card uses, whether it can be reset, and which interfaces are on it
#   TOOL store IF nvram_NAME=VALUE…    store what differs; the card goes on with what it uses
#   TOOL reset IF nvram_NAME=VALUE…    reset the card where it uses something else, and read it back
#   TOOL restore_stored IF FILE        store what the verb stored printed into FILE, and reset the card

stores=yes # this script has the verbs store, reset and restore_stored

stored_value() { # NAME: sets now and next, what the card uses now and after a reset; else found is why there is none
	find_pci
	found='unsupported: the interface is no function of a card'
	number "${pci##*.}" 0 7 || return 1
	case $1 in ROCE_CONTROL) name=$1 ;; *) name=$1_P$((${pci##*.} + 1)) ;; esac # one function is one port
	found='unsupported: no tool reads what the card stores; install mstflint (mstconfig)'
	text=
	for writer in mstconfig mlxconfig; do
		command -v "$writer" >/dev/null || continue
		found="unreadable: $writer cannot read $name (Secure Boot locks the card, or its firmware lacks the parameter)"
		! ask "$writer" -d "$pci" -e query "$name" || break
	done
	now=
	while read -r entry; do
		set -- $entry
		while [ "${1:-}" = '*' ] || [ "${1:-}" = RO ]; do shift; done # what a reset will change, and what cannot be set
		[ "${1:-}" = "$name" ] && [ $# -ge 4 ] || continue
		now=${3##*\(} next=${4##*\(}
		now=${now%\)} next=${next%\)}
	done <<-END
		$text
	END
	whole "$now" && whole "$next"
}

see_nvram() {
	stated nvram_
	for key in $found; do
		if stored_value "${key#nvram_}"; then
			found=$now
			[ "$now" = "$next" ] || found="$now; $next after the next reset of the card"
		fi
		emit "$key" "$found"
	done
}

compare_stored() { # apply never sets what needs a reset
	stated nvram_
	[ -n "$found" ] || return 0
	wanted=$found
	obs=
	see_nvram
	! differs "$wanted" || for key in $diff; do
		look "$conf" "$key" && want=$found
		look "$obs" "$key" && fail "$key is $found, the fabric says $want: rocec apply sets it, and resets the card"
	done
}

find_resetter() { # sets resetter to the tool that resets this card while the host runs; else found is why none does
	find_pci
	found='unsupported: no tool resets the card; install mstflint (mstfwreset), or set it by hand and restart the host'
	for resetter in mstfwreset mlxfwreset; do
		command -v "$resetter" >/dev/null || continue
		found="unsupported: $resetter cannot reset this card while the host runs; set it by hand, and restart the host"
		ask "$resetter" -d "$pci" query || continue
		while read -r entry; do
			case $entry in '3: '*' -Supported'*) return ;; esac # driver restart and PCI reset
		done <<-END
			$text
		END
	done
	return 1
}

stored() { # what the card stores, whether it can be reset, and the interfaces that go down with it
	see_nvram
	find_resetter && found=possible
	emit reset "$found"
	row=
	set +f
	for path in "$root"/sys/class/net/*; do
		here=$(readlink "$path/device") || continue
		here=${here##*/}
		[ "${here%.*}" = "${pci%.*}" ] && netdev "${path##*/}" && row=$row,${path##*/}
	done
	set -f
	emit card "${row#,}"
	printf %s "$obs"
}

keep_stored() { # KEY VALUE: notes what was stored before rocec
	stored_before=
	if [ -f "$state/$if.stored" ]; then
		while IFS= read -r line; do stored_before=$stored_before$line$nl; done <"$state/$if.stored"
	fi
	! look "$stored_before" "$1" || return 0
	[ -d "$state" ] || mkdir -p "$state" || return 1
	printf '%s=%s\n' "$1" "$2" >>"$state/$if.stored"
}

store() { # writes what differs; the card uses it after a reset
	stated nvram_
	wanted=$found
	see_nvram
	differs "$wanted" || return 0
	tell_ways # and stores nothing if one of them cannot be
	[ "$failed" -eq 0 ] || return 1
	find_resetter || die "$found"
	list=
	for key in $diff; do
		look "$conf" "$key" && want=$found
		stored_value "${key#nvram_}" || die "$key cannot be set here: $found"
		keep_stored "$key" "$next" || die "cannot write $state/$if.stored"
		[ "$next" = "$want" ] || list="$list $name=$want"
	done
	[ -z "$list" ] || answer=$("$writer" -d "$pci" -y set $list 2>&1) || {
		words "$answer" "$nl"
		die "$writer cannot store$list: $found"
	}
}

reset() { # resets the card where it does not use what is wanted, and reads it back
	stated nvram_
	wanted=$found
	see_nvram
	differs "$wanted" || return 0
	find_resetter || die "$found"
	answer=$("$resetter" -d "$pci" -y --level 3 reset 2>&1) || {
		words "$answer" "$nl"
		die "$resetter cannot reset the card: $found"
	}
	waited=0
	await back_again || die "the interface did not come back in $patience s after the reset of the card"
	obs=
	see_nvram
	! differs "$wanted" || for key in $diff; do
		look "$conf" "$key" && want=$found
		look "$obs" "$key" && fail "$key is $found, not $want, after the reset of the card"
	done
	return "$failed"
}

restore_stored() { # what the verb stored printed once: what the card used, and what it was to use after a reset
	await back_again || die "there is no such interface"
	later=
	stated nvram_
	wanted=$found
	for key in $wanted; do
		look "$conf" "$key"
		value=${found%%; *}
		if [ "$value" != "$found" ]; then
			found=${found#*; }
			later="$later $key=${found%% *}"
		fi
		forget "$key"
		conf=$conf$key=$value$nl
	done
	store && obs='' && reset || return 1
	for pair in $later; do
		key=${pair%%=*}
		stored_value "${key#nvram_}" && "$writer" -d "$pci" -y set "$name=${pair#*=}" >/dev/null || fail "$key cannot be stored again"
	done
	[ "$failed" -ne 0 ] || forget_stored
	return "$failed"
}

forget_stored() { # where all is as it was before rocec
	[ -f "$state/$if.stored" ] || return 0
	while IFS= read -r line; do
		key=${line%%=*}
		parameter_name "${key#nvram_}" && stored_value "${key#nvram_}" && [ "$next" = "${line#*=}" ] || return 0
	done <"$state/$if.stored"
	rm -f "$state/$if.stored"
	rmdir "$state" 2>/dev/null || :
}
