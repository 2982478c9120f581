package nic

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// setters are the paths of files that hosts run by themselves: units, udev rules, dispatchers of network managers, cron, rc scripts,
// profiles of tuned.
const setters = "/etc/systemd/system /run/systemd/system /usr/lib/systemd/system /lib/systemd/system /etc/udev/rules.d " +
	"/etc/NetworkManager/dispatcher.d /etc/networkd-dispatcher /etc/network/if-up.d /etc/network/interfaces /etc/network/interfaces.d " +
	"/etc/cron.d /etc/rc.local /etc/rc.d/rc.local /etc/tuned /etc/mellanox"

// settings matches commands and files that write settings of rocec: tools of mlnx-tools and the vendors, dcb, lldptool, and the files of
// RDMA-CM's defaults.
const settings = `mlnx_qos|lldptool|cma_roce_(mode|tos)|default_roce_(mode|tos)|dcb +(pfc|ets|app|dcbx) +(set|add|replace|flush)|` +
	`tc/[0-9]+/traffic_class|ethtool +(-A|--pause) |bnxt_setupcc|niccli`

// operators contains daemons that set NICs, by their names in the kernel.
var operators = map[string]string{
	"nic-configurati": "the NIC configuration operator of NVIDIA (nic-configuration-daemon)",
}

// SetterProbe asks whether another program on a host sets NICs, too. rocec only reports it, as a person has to choose one of the two.
func SetterProbe(d *ir.Device) target.Probe {
	return target.Probe{
		Name: "other settings", Slow: true,
		Query: target.Query{Cmd: "{\ngrep -rlsE '" + settings + "' " + setters + ` 2>/dev/null | head -n 30
for c in /proc/[0-9]*/comm; do
{ read -r name <"$c"; } 2>/dev/null || continue
case $name in nic-configurati) echo "running $name" ;; esac
done
}
true`},
		Samples: func(answer []byte) []target.Sample {
			var out []target.Sample
			seen := map[string]bool{}
			for line := range strings.Lines(string(answer)) {
				line = strings.TrimSpace(line)
				name, runs := strings.CutPrefix(line, "running ")
				ours := !runs && (strings.Contains(line, "/rocec-host") || strings.Contains(line, "/99-rocec"))
				if line == "" || ours || seen[line] || !runs && !strings.HasPrefix(line, "/") {
					continue
				}
				seen[line] = true
				s := target.Sample{Name: "other settings", On: line, Unit: target.UnitFact, Fact: line}
				if runs {
					what, known := operators[name]
					if !known {
						continue
					}
					s.Hint = fmt.Sprintf("On %s, %s is running. The last writer wins: let only one of the two programs set the NICs.", d.Name, what)
				} else {
					s.Hint = fmt.Sprintf("%s on %s sets the same settings as rocec. The last writer wins: remove it, or remove "+
						"rocec's settings from it.",
						target.Escape(line), d.Name)
				}
				out = append(out, s)
			}
			return out
		},
	}
}
