package cumulus

import (
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// unit is the daemon that programs the chip.
const unit = "switchd.service"

// reloadNode is where switchd of 4.2 and 4.3 on Spectrum is told to read traffic.conf again.
const reloadNode = "/cumulus/switchd/config/traffic/reload"

// switchdLog is where switchd says what it did not take.
const switchdLog = "/var/log/switchd.log"

func reloads(r grammar.Release, asic *platform.ASIC) bool {
	return r.AtLeast(4, 2) && asic.Vendor == platform.Mellanox
}

// activate gives the documented way to make switchd take the file. Up to 4.1, and on Broadcom up to 4.3, that is a
// restart, which resets every port; on Spectrum 4.2 and 4.3 added a reload of the traffic settings alone.
func activate(r grammar.Release, asic *platform.ASIC) target.Step {
	if reloads(r, asic) {
		return reload
	}
	return restart
}

// The two ways. Large switches take more than two minutes until switchd is up (its watchdog has two; CM-27957), and the ports
// come up after that.
var (
	restart = target.Step{
		Cmd:      noteLog + "systemctl show -p ActiveEnterTimestampMonotonic " + unit + " >\"$ROCEC_STEP/since\"\nsystemctl restart " + unit,
		Disrupts: "every port resets (switchd restart)",
		Outage:   ir.Outage{Least: 30 * time.Second, Most: 2 * time.Minute},
		Loaded: &target.Query{Cmd: active + complaints + `now=$(systemctl show -p ActiveEnterTimestampMonotonic ` + unit + `)
if [ "$now" = "$(cat "$ROCEC_STEP/since")" ]; then
	echo "` + unit + ` has not started again"
	exit 1
fi
echo ` + target.Loaded},
		Units:   unit,
		Timeout: 5 * time.Minute,
		Soak:    30 * time.Second,
		Away:    3 * time.Minute,
	}
	reload = target.Step{
		Cmd:      noteLog + revive + "echo 1 > " + reloadNode,
		Disrupts: "a brief loss while buffers change (switchd reload)",
		Outage:   ir.Outage{Most: 2 * time.Second}, // "brief", the manual says
		Loaded: &target.Query{Cmd: active + complaints +
			`echo "not readable on this release; switchd took the reload and logged no complaint"`},
		Units:   unit,
		Timeout: 3 * time.Minute, // where the undo has to start switchd
		Soak:    5 * time.Second,
		Away:    30 * time.Second,
	}
)

const (
	// noteLog keeps how long the log was before, so that only what is appended counts.
	noteLog = "{ stat -c %s " + switchdLog + " 2>/dev/null || echo 0; } >\"$ROCEC_STEP/log\"\n"

	// revive starts a switchd that died of the change, which the undo cannot reload.
	revive = `if [ -n "${ROCEC_WHY:-}" ] && ! systemctl is-active --quiet ` + unit + `; then
	systemctl restart ` + unit + `
	exit
fi
`

	active = `if ! systemctl is-active --quiet ` + unit + `; then
	echo "` + unit + ` is not active"
	exit 1
fi
`
)

// complaints looks through what switchd has logged since the step began.
var complaints = `read -r from <"$ROCEC_STEP/log"
size=$(stat -c %s ` + switchdLog + ` 2>/dev/null || echo 0)
if [ "$size" -lt "$from" ]; then from=0; fi # rotated
if said=$(tail -c +$((from + 1)) ` + switchdLog + ` 2>/dev/null | grep -E '` + strings.Join(refusals, "|") + `'); then
	printf '%s\n' "$said"
	exit 1
fi
`

// refusals begin the lines by which switchd says that it did not take a setting, at levels from WARNING to CRITICAL. Source:
// switchd Log Message Reference 4.1.
var refusals = []string{
	"_range_limits_get:", "_port_group_range_translate:", "_port_group_ports_set:",
	"hal_sh_datapath_file_read:", "could not load traffic config file", "headroom count .* exceeds the maximum value",
	"datapath init failed", "exceeds max port group count", "cos list length .* is longer than",
	"_priority_field_list_get:", "_port_attribute_mark:", "sx_api_port_pfc_enable_set", "_priority_flow_control_config:",
	"_port_pause_config", "_config_port_packet_buffers", "hal_sh_datapath_packet_buffer_set", "sx_api_cos_redecn_",
	"_ecn_red_config", "No priority group ID found for lossless traffic", "buffer pool .* size 0 is invalid",
	"_port_group_set_get:", "_switch_priority_config_values_get:",
}
