package tools

import "github.com/rocec/rocec/targets/target"

// Asks are commands that print the settings of a host's NICs in the form of a terminal: each command after a prompt, then its output. A
// command that the host lacks is left out. A device without a NIC for RDMA prints nothing. A NIC for RDMA has an RDMA device or a driver
// for one. The driver is enough, because verify also judges NICs whose RoCE is off in the firmware or lacks a module.
var Asks = []target.Question{{File: "host.txt", Cmd: askNICs, Says: "the settings of its NICs"}}

const askNICs = `run() {
	command -v "$1" >/dev/null 2>&1 || return 0
	echo "\$ $*"
	timeout 5 "$@" 2>/dev/null
}
rdma=
for d in /sys/class/infiniband/*; do
	test -e "$d" && rdma=yes
done
for d in /sys/class/net/*/device/driver; do
	case $(readlink "$d") in */mlx[45]_core | */bnxt_en | */ice | */ionic | */qede) rdma=yes ;; esac
done
test "$rdma" || exit 0
for d in /sys/class/net/*; do
	n=${d##*/}
	case $n in *[!A-Za-z0-9._-]*) continue ;; esac
	test -e "$d/device" || continue
	run ip -d link show dev "$n"
	run ethtool -i "$n"
	run ethtool -a "$n"
	run mlnx_qos -i "$n"
	run dcb ets show dev "$n"
	run dcb pfc show dev "$n"
	run dcb app show dev "$n"
	run dcb dcbx show dev "$n"
	run dcb buffer show dev "$n"
done
run nicctl show qos
run nicctl show port
for f in /sys/module/qed/parameters/dcqcn_*; do
	test -r "$f" && run cat "$f"
done
run rdma link
run ibdev2netdev
for d in /sys/class/infiniband/*; do
	n=${d##*/}
	case $n in *[!A-Za-z0-9._-]*) continue ;; esac
	run cma_roce_tos -d "$n"
	for f in "$d"/tc/*/traffic_class; do
		test -r "$f" && run cat "$f"
	done
done
true`
