# ---- bringing about: what differs is written, and read back ----

wants() { # KEY…: is any of them in the value file?
	for key; do
		! look "$conf" "$key" || return 0
	done
	return 1
}

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
	"$2" again
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

await() { # COMMAND: until it succeeds, as long as patience lasts
	until "$1"; do
		[ "$waited" -lt "$patience" ] || return 1
		waited=$((waited + 1))
		sleep 1
	done
}
