package mlx5

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// The parameters of DCQCN and of the stored configuration.
//
// Names: those of the files of MLNX_OFED in ecn/roce_rp and ecn/roce_np (OFED 24.07, en_ecn.c). The kernel's own driver has them in debugfs
// under cc_params (Linux cong.c, mlx5_ib_dbg_cc_name), and the stored configuration in capitals with the number of the port. Neither driver
// checks a range. The ranges are the widths of the stored parameters, with their limits, in the database of mstflint 4.21
// (mlxconfig_host.db, tlv nv_roce_cc_ecn); units and effects come from its descriptions. rpg_max_rate has 32 bits there, but older kernels
// print it as a signed number (get_param of cong.c), so that a larger value would not be read back.
//
// The values of the firmware are those of published listings of mlxconfig for ConnectX-5 to ConnectX-7, which agree on all but
// MIN_TIME_BETWEEN_CNPS: 0, 2 and 4 microseconds occur.
const (
	parameterSource = "parameter database of mstflint 4.21; factory values: published mlxconfig listings of ConnectX-5 to ConnectX-7"
	rateUnit        = "Mb/s"
	timeUnit        = "us"
	bits17          = 1<<17 - 1
	anyFactory      = -1 // the value differs between cards, or is not published
)

// dcqcn lists the parameters of DCQCN.
func dcqcn() []*ir.NICParameter {
	return []*ir.NICParameter{
		{Name: "clamp_tgt_rate", Most: 1, Factory: 0, Does: "each CNP sets the target rate to the current rate"},
		{Name: "clamp_tgt_rate_after_time_inc", Most: 1, Factory: 1, Does: "a CNP sets the target rate also after an increase by time"},
		{Name: "cnp_802p_prio", By: "cnp of the intent: the cos of its group"},
		{Name: "cnp_dscp", By: "cnp of the intent: the first DSCP of its group"},
		{Name: "dce_tcp_g", Least: 1, Most: 1<<10 - 1, Factory: 1019, Does: "the weight of a new CNP in alpha, in 1/1024"},
		{Name: "dce_tcp_rtt", Least: 1, Most: bits17, Unit: timeUnit, Factory: 1, Does: "the time between updates of alpha"},
		{Name: "initial_alpha_value", Most: 1<<10 - 1, Factory: 1023, Does: "alpha at the first CNP of a flow, in 1/1024"},
		{Name: "min_time_between_cnps", Most: bits17, Unit: timeUnit, Factory: anyFactory, Does: "the least time between two CNPs of the port"},
		{Name: "rate_reduce_monitor_period", Least: 1, Most: bits17, Unit: timeUnit, Factory: 4, Does: "the least time between two cuts"},
		{Name: "rate_to_set_on_first_cnp", Most: bits17, Unit: rateUnit, Factory: 0, Does: "the rate after the first CNP; 0: of the port"},
		{Name: "rpg_ai_rate", Most: bits17, Unit: rateUnit, Factory: 5, Does: "the step of additive increase"},
		{Name: "rpg_byte_reset", Most: 1<<15 - 1, Unit: "bytes", Factory: 32767, Does: "bytes between two increases; 0: off"},
		{Name: "rpg_gd", Most: 15, Factory: 11, Does: "the divisor of alpha in a reduction, as a power of 2"},
		{Name: "rpg_hai_rate", Most: bits17, Unit: rateUnit, Factory: 50, Does: "the step of hyper increase"},
		{Name: "rpg_max_rate", Most: 1<<31 - 1, Unit: rateUnit, Factory: 0, Does: "the rate at which a flow is free again; 0: of the port"},
		{Name: "rpg_min_dec_fac", Least: 1, Most: 100, Unit: "percent", Factory: 50, Does: "the least rate after a reduction"},
		{Name: "rpg_min_rate", Most: bits17, Unit: rateUnit, Factory: 1, Does: "the least rate of a flow"},
		{Name: "rpg_threshold", Most: 31, Factory: 1, Does: "increases before the next stage of recovery"},
		{Name: "rpg_time_reset", Most: bits17, Unit: timeUnit, Factory: 300, Does: "time between two increases"},
	}
}

var (
	booleans = []ir.Word{{Name: "False", Value: 0}, {Name: "True", Value: 1}}
	modes    = []ir.Word{{Name: "OFF", Value: 0}, {Name: "MANDATORY", Value: 1}, {Name: "ALL", Value: 2}}
)

// wordsOnly is the range of a parameter that has only words.
const wordsOnly = 1

// storedAlone lists the stored parameters beside those of DCQCN. Names are without the number of the port.
func storedAlone() []*ir.NICParameter {
	return []*ir.NICParameter{
		{Name: "CNP_802P_PRIO", Most: 7, Factory: 6, Does: "the priority of CNPs"},
		{Name: "CNP_DSCP", Most: 63, Factory: 48, Does: "the DSCP of CNPs"},
		{Name: "DCBX_CEE", Least: wordsOnly, Words: booleans, Factory: 1, Does: "DCBX of the firmware speaks CEE"},
		{Name: "DCBX_IEEE", Least: wordsOnly, Words: booleans, Factory: 1, Does: "DCBX of the firmware speaks IEEE"},
		{Name: "DCBX_WILLING", Least: wordsOnly, Words: booleans, Factory: 1, Does: "DCBX of the firmware takes the settings of the switch"},
		{
			Name: "LINK_TYPE", Least: wordsOnly, Words: []ir.Word{{Name: "ETH", Value: 2}}, Factory: anyFactory,
			Does: "the kind of the port; InfiniBand has no RoCE",
		},
		{Name: "LLDP_NB_DCBX", Least: wordsOnly, Words: booleans, Factory: 0, Does: "the firmware runs DCBX until the host takes over"},
		{Name: "LLDP_NB_RX_MODE", Least: wordsOnly, Words: modes, Factory: 0, Does: "the firmware reads LLDP"},
		{Name: "LLDP_NB_TX_MODE", Least: wordsOnly, Words: modes, Factory: 0, Does: "the firmware sends LLDP"},
		{Name: "NUM_OF_PFC", Most: 8, Factory: 8, Does: "priorities that may have PFC"},
		{Name: "NUM_OF_PLANES", By: "the tool of the vendor alone: multiplane mode changes the ports of the card"},
		{
			Name: "NUM_OF_TC", Least: 1, Most: 7, Words: []ir.Word{{Name: "_8_TCs", Value: 0}}, Factory: 0,
			Does: "traffic classes",
		},
		{Name: "ROCE_CC_PRIO_MASK", Most: 255, Factory: 255, Does: "a bit for each priority with congestion control"},
		{
			Name: "ROCE_CONTROL", Least: wordsOnly, Factory: anyFactory, Shared: true, Does: "RoCE of the card",
			Words: []ir.Word{{Name: "DEVICE_DEFAULT", Value: 0}, {Name: "ROCE_DISABLE", Value: 1}, {Name: "ROCE_ENABLE", Value: 2}},
		},
	}
}

// parameters returns the tables of the driver. They are made when a fabric or a person first asks for a parameter.
func parameters() *ir.NICTable {
	tableOnce.Do(func() { table = newTable() })
	return table
}

var (
	tableOnce sync.Once
	table     *ir.NICTable
)

func newTable() *ir.NICTable {
	own := dcqcn()
	stored := storedAlone()
	for _, p := range own { // a card stores their values at its start
		if p.By != "" {
			continue
		}
		s := *p
		s.Name = strings.ToUpper(p.Name)
		if p.Least == 0 && p.Most == 1 {
			s.Least, s.Most, s.Words = wordsOnly, 0, booleans
		}
		s.Does += ", at the start of the card"
		stored = append(stored, &s)
	}
	slices.SortFunc(stored, func(a, b *ir.NICParameter) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range slices.Concat(stored, own) {
		p.Source = parameterSource
	}
	return &ir.NICTable{DCQCN: own, NVRAM: stored, Stall: stall}
}

// stall is the time of stall prevention. Source: en_ethtool.c of mlx5_core (MLX5E_PFC_PREVEN_TOUT_MIN_MSEC 80, _MAX_MSEC 8000), and the
// manual of ethtool: 0 turns it off, and 65535 is the time of the firmware, which the driver reports as 100 ms.
var stall = &ir.NICParameter{
	Name: "stall_prevention", Least: 80, Most: 8000, Unit: "ms", Factory: anyFactory,
	Words: []ir.Word{{Name: "off", Value: 0}, {Name: "auto", Value: 65535}}, Does: "a stuck NIC stops sending pauses after this time",
	Source: "en_ethtool.c of mlx5_core; the manual of ethtool",
}

// StoredName returns the name of a stored parameter in mlxconfig for a port of the card, counted from 1. A parameter of the whole card has
// no port.
func StoredName(name string, port int) string {
	if name == "ROCE_CONTROL" {
		return name
	}
	return name + "_P" + strconv.Itoa(port)
}

// inDebugfs returns the name of a parameter of DCQCN in cc_params of debugfs.
func inDebugfs(name string) string {
	switch name {
	case "min_time_between_cnps":
		return "np_" + name
	case "clamp_tgt_rate_after_time_inc":
		return "rp_clamp_tgt_rate_ati"
	}
	return "rp_" + strings.TrimPrefix(name, "rpg_")
}
