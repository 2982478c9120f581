# ---- Soft-RoCE: the RDMA device that rdma_rxe makes on top of an interface ----

# Every setting, in the order of show. bond and mtu describe the host; they are compared, never written.
keys='bond mtu roce_mode rxe tos traffic_class vlan_ip vlan_map'

accept_own() { # KEY VALUE: is it something rocec writes for Soft-RoCE alone?
	case $1 in
	rxe) [ "$2" = on ] || [ "$back$2" = yesoff ] ;;
	traffic_class) [ "$2" = off ] || number "$2" 0 255 ;;
	*) false ;;
	esac
}

more_keys() { found=; }

find_rdma() { # sets rdma to the device that names the interface as its parent, whoever made it and whatever udev calls it
	rdma=
	port=1
	set +f
	for path in "$root"/sys/class/infiniband/*/parent; do
		slurp "$path" && [ "$found" = "$if" ] || continue
		ib=${path%/parent}
		rdma=${ib##*/}
		cma=$root/sys/kernel/config/rdma_cm/$rdma
		break
	done
	set -f
	[ -n "$rdma" ]
}

see_rxe() {
	find_rdma && emit rxe on || emit rxe off
}

set_rxe() { # by the tool, whose status says nothing where it is too old; or by the parameters of the module, before 5.1
	parameters=$root/sys/module/rdma_rxe/parameters
	look "$conf" rxe
	if [ "$found" = off ]; then
		rdma link delete "$rdma" && ! find_rdma || { [ -e "$parameters/remove" ] && put "$parameters/remove" "$rdma"; }
		return
	fi
	if [ ! -d "$root/sys/module/rdma_rxe" ] && ! modprobe rdma_rxe; then
		printf 'the kernel of this host has no module rdma_rxe (that of RHEL 10 has none)\n'
		return 1
	fi
	rdma link add "rxe_$if" type rxe netdev "$if" && find_rdma || { [ -e "$parameters/add" ] && put "$parameters/add" "$if"; } || {
		printf 'rdma of iproute2 makes it; install iproute2 5.2 or later, where it is missing\n'
		return 1
	}
	await find_rdma
}

see_class() { emit traffic_class 'unsupported: rdma_rxe marks as each connection says'; }

see_all() {
	obs=
	see_host
	see_rxe
	see_cma
	see_class
	see_vlan
}

rivals() { :; }

ready() {
	[ ! -e "$root/proc/net/vlan/$if" ] ||
		die "it is a VLAN interface, and rdma_rxe takes none; put the interface below it into the fabric"
}

come_up() { # the device comes by bring_about
	[ -d "$root/sys/kernel/config/rdma_cm" ] || modprobe rdma_cm || :
}

bring_about() {
	settle rxe see_rxe set_rxe
	settle traffic_class see_class :
	if [ -n "$rdma" ]; then
		come_up
		settle 'roce_mode tos' see_cma set_cma
	fi
	settle 'vlan_ip vlan_map' see_vlan set_vlan
	return "$failed"
}
