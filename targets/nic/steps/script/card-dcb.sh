# ---- cards whose priorities dcb alone reads and sets ----

find_dcb() { # sets tool, in place of pick_tool: mlnx_qos, which another family may use, is for its own NICs
	[ -z "$tool" ] || return 0
	tool=none
	! dcb -N app show dev "$if" >/dev/null 2>&1 || tool=dcb
}

refuse_no_dcb() { # VERSION: of iproute2
	find_dcb
	[ "$tool" = dcb ] || die "dcb cannot read its priorities; install iproute2 $1 or later"
}

# The drivers change the kernel's table of applications first and the card after it. Where the card refuses, the table keeps
# the change, and dcb shows the table: so the script takes the change back, and the next read shows the difference.
change_app() { # add|del IF KIND ENTRY…
	how=$1 dev=$2 kind=$3
	shift 3
	! dcb app "$how" dev "$dev" "$kind" "$@" || return 0
	case $how in add) how=del ;; *) how=add ;; esac
	for entry; do dcb app "$how" dev "$dev" "$kind" "$entry" >/dev/null 2>&1 || :; done
	return 1
}
