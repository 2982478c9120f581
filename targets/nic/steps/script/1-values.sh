#!/bin/sh
# TOOL: keeps the RoCE settings of one network interface as /etc/rocec/host/IF.conf says.
# Written by rocec, the same on every host; change the fabric, not this file.
#
#   TOOL apply IF               write what differs and read it back; exit 1 names what would not take
#   TOOL restore IF FILE [KEY=VALUE]…
#                                     the same with what show printed into FILE, as far as it can be set
#   TOOL leave IF               restore what was there before the first apply, and forget it
#   TOOL check IF               say what differs; change nothing
#   TOOL check --json           the same of every value file, as one document of JSON, with settings, GIDs and hashes
#   TOOL check --json IF        the part of one interface, for the script of another family
#   TOOL show  IF [KEY=VALUE]…  print the settings as they are; change nothing
#   TOOL gids  IF [KEY=VALUE]…  print the GIDs, gid DEV PORT INDEX NETDEV GID TYPE, and VLANs; change nothing
#
# KEY=VALUE stand for lines of the value file, where that is not there yet.
#
# Rules kept throughout: read first and write only on a difference, because a write of the PFC mask bounces the link;
# never trust a write, read it back; what cannot be set or read fails, with what to install or change, unless the value
# file lists it under "should". A way to a setting is chosen by what is there, never by a version.

# shellcheck disable=SC2015,SC2086 # words are split on purpose, and set -f keeps them from being file names
set -uf
LC_ALL=C
root=${ROCEC_ROOT:-} # a place for tests, instead of the real /sys, /proc and /etc
PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin
[ -z "$root" ] || PATH=$root/usr/sbin:$PATH
patience=${ROCEC_WAIT:-60} # seconds to wait for netdevs and RDMA devices that come late at boot
nl='
'
state=$root/var/lib/rocec/TOOL # what NICs held before the first apply, IF.before

conf=      # the lines wanted, KEY=VALUE
obs=       # the lines observed
rdma=      # the RDMA device of the interface, and its port
port=
back=      # yes: what comes is what the NIC held once, so it is put back as far as it can be
failed=0
waited=0

say() { printf 'TOOL: %s: %s\n' "$if" "$*" >&2; }
fail() { say "$*"; failed=1; }
die() { say "$*"; exit 1; }

# ---- small tools; results come in $found, so that nothing forks ----

look() { # TEXT KEY: the value of KEY in lines of KEY=VALUE; fails when there is none
	found=
	case $nl$1 in *"$nl$2="*) ;; *) return 1 ;; esac
	found=$nl$1
	found=${found#*"$nl$2="}
	found=${found%%"$nl"*}
}

forget() { # KEY: takes it out of conf
	rest=$conf
	conf=
	IFS=$nl
	for line in $rest; do
		case $line in "$1"=*) ;; *) conf=$conf$line$nl ;; esac
	done
	IFS=' 	
'
}

emit() { obs="$obs$1=$2$nl"; } # KEY VALUE: one line of what is observed

slurp() { # FILE: its first line; fails when it cannot be read, or is longer than a file of the kernel
	found=
	[ -e "$1" ] || return 1
	{ read -r found <"$1"; } 2>/dev/null || [ -n "$found" ] || return 1
	[ "${#found}" -le 4096 ] || { found= && return 1; }
}

ask() { # COMMAND…: text is what it prints; fails, with none, where it fails or prints more than any tool does
	{ text=$("$@" 2>/dev/null); } 2>/dev/null && [ "${#text}" -le 65536 ] && return
	text=
	return 1
}

peek() { # FILE REASON: its first line, or why there is none: it is not there (REASON), or it is shut
	slurp "$1" && return
	if [ -e "$1" ]; then
		found="unreadable: ${1#"$root"} cannot be read (Secure Boot locks debugfs; some files are for root alone)"
	else
		found="unsupported: $2"
	fi
	return 1
}

put() { printf '%s\n' "$2" >"$1"; } # FILE VALUE: one write, as sysfs wants it; the status is the kernel's answer

number() { # TEXT MIN MAX
	case $1 in '' | *[!0-9]* | ??????*) return 1 ;; esac
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}

words() { # TEXT SEPARATOR: the text with spaces for separators
	IFS=$2
	set -- $1
	IFS=' '
	found="$*"
	IFS=' 	
'
}

netdev() { # NAME: fit to be a part of a path
	case $1 in '' | . | .. | */* | *[[:space:]]* | ????????????????*) return 1 ;; esac
}

key_names() { # LIST: names of settings, parted by commas
	case $1 in '' | *[!a-z0-9_,]*) return 1 ;; esac
}

address() { # ADDRESS/LENGTH
	case ${1%/*} in '' | *[!0-9a-f:.]* | */*) return 1 ;; esac
	number "${1##*/}" 0 128
}

sk_map() { # LIST: where the four socket priorities that a TOS can give go
	case $1 in 0:[0-7],2:[0-7],4:[0-7],6:[0-7]) ;; *) return 1 ;; esac
}

accept() { # KEY VALUE: is it something rocec writes?
	case $1 in
	bond) netdev "$2" ;;
	create_vlan) [ "$2" = on ] ;;
	mtu) number "$2" 68 65535 ;;
	roce_mode) [ "$2" = 'RoCE v2' ] || [ "$2" = 'IB/RoCE v1' ] ;;
	should) key_names "$2" ;;
	tos) number "$2" 0 255 ;;
	vlan) number "$2" 1 4094 ;;
	vlan_ip) address "$2" ;;
	vlan_map) sk_map "$2" ;;
	*) accept_own "$1" "$2" ;;
	esac
}

load() { # LINE…: the values wanted, of the lines given or else of the value file
	source="the arguments"
	if [ $# -eq 0 ]; then
		source=/etc/rocec/host/$if.conf
		[ -f "$root$source" ] || { source=; return 0; }
		while IFS= read -r line || [ -n "$line" ]; do
			case $line in '' | '#'*) ;; *) set -- "$@" "$line" ;; esac
		done <"$root$source"
	fi
	for line; do
		key=${line%%=*}
		if [ "$key" = "$line" ] || ! accept "$key" "${line#*=}"; then
			refuse "not a setting of this script: $line"
		elif look "$conf" "$key"; then
			refuse "there twice: $key"
		else
			conf=$conf$line$nl
		fi
	done
}

refuse() { # a wrong line stops what acts on the value file, and is passed over by what only looks around
	case $verb in apply | check) die "$source: $1" ;; esac
}
