// Package mstflint simulates the tools mstconfig and mstfwreset, which show and set the [Parameter] values that a card stores.
package mstflint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// Parameter is a parameter that a card stores for one port.
type Parameter struct {
	Name      string
	Now, Next int // in use, and from the next reset on
}

// Factory returns the values of a new card. Source: published listings of mlxconfig for ConnectX-5.
func Factory() []Parameter {
	var out []Parameter
	for _, p := range []struct {
		name  string
		value int
	}{
		{"CNP_802P_PRIO", 6},
		{"CNP_DSCP", 48},
		{"DCBX_CEE", 1},
		{"DCBX_IEEE", 1},
		{"DCBX_WILLING", 1},
		{"LINK_TYPE", 2},
		{"LLDP_NB_DCBX", 0},
		{"LLDP_NB_RX_MODE", 0},
		{"LLDP_NB_TX_MODE", 0},
		{"NUM_OF_PFC", 8},
		{"NUM_OF_TC", 0},
		{"ROCE_CC_PRIO_MASK", 255},
		{"ROCE_CONTROL", 2},
		{"CLAMP_TGT_RATE", 0},
		{"CLAMP_TGT_RATE_AFTER_TIME_INC", 1},
		{"DCE_TCP_G", 1019},
		{"DCE_TCP_RTT", 1},
		{"INITIAL_ALPHA_VALUE", 1023},
		{"MIN_TIME_BETWEEN_CNPS", 4},
		{"RATE_REDUCE_MONITOR_PERIOD", 4},
		{"RATE_TO_SET_ON_FIRST_CNP", 0},
		{"RPG_AI_RATE", 5},
		{"RPG_BYTE_RESET", 32767},
		{"RPG_GD", 11},
		{"RPG_HAI_RATE", 50},
		{"RPG_MAX_RATE", 0},
		{"RPG_MIN_DEC_FAC", 50},
		{"RPG_MIN_RATE", 1},
		{"RPG_THRESHOLD", 1},
		{"RPG_TIME_RESET", 300},
	} {
		out = append(out, Parameter{p.name, p.value, p.value})
	}
	return out
}

// Port is one port of a card, which is one PCI function.
type Port struct {
	PCI    string
	Stored *[]Parameter
	Reset  func() // the effect of a reset on the link
}

// Tools returns the programs mstconfig and mstfwreset for the cards with some ports.
func Tools(ports []Port) (config, reset target.Program) {
	return func(p *target.Proc) int { return mstconfig(ports, p) }, func(p *target.Proc) int { return mstfwreset(ports, p) }
}

// DCQCN returns the parameters of DCQCN by their names in debugfs, with the values of the firmware.
func DCQCN() []Parameter {
	var out []Parameter
	for _, p := range Factory() {
		switch name := strings.ToLower(p.Name); name {
		case "clamp_tgt_rate_after_time_inc":
			out = append(out, Parameter{Name: "rp_clamp_tgt_rate_ati", Now: p.Now})
		case "clamp_tgt_rate", "dce_tcp_g", "dce_tcp_rtt", "initial_alpha_value", "rate_reduce_monitor_period", "rate_to_set_on_first_cnp":
			out = append(out, Parameter{Name: "rp_" + name, Now: p.Now})
		default:
			if rest, is := strings.CutPrefix(name, "rpg_"); is {
				out = append(out, Parameter{Name: "rp_" + rest, Now: p.Now})
			}
		}
	}
	return out
}

// function returns the port on a PCI function; nil: no port is there.
func function(ports []Port, pci string) *Port {
	i := slices.IndexFunc(ports, func(c Port) bool { return c.PCI == pci })
	if i < 0 {
		return nil
	}
	return &ports[i]
}

// find returns a parameter by the name of the tools, such as CNP_DSCP_P1.
func (c *Port) find(name string) *Parameter {
	_, function, _ := strings.Cut(c.PCI[strings.LastIndexByte(c.PCI, ':'):], ".")
	port, _ := strconv.Atoi(function) //nolint:errcheck // 0
	for i := range *c.Stored {
		p := &(*c.Stored)[i]
		if p.Name == name && name == "ROCE_CONTROL" || fmt.Sprintf("%s_P%d", p.Name, port+1) == name && p.Name != "ROCE_CONTROL" {
			return p
		}
	}
	return nil
}

// mstconfig simulates "mstconfig -d BDF -e query NAME" and "mstconfig -d BDF -y set NAME=N ...".
func mstconfig(ports []Port, p *target.Proc) int {
	words := p.Args[1:]
	if len(words) < 4 || words[0] != "-d" || function(ports, words[1]) == nil || !p.Root {
		return fail(p, 3, "-E- Failed to open the device")
	}
	c := function(ports, words[1])
	switch words[2] + " " + words[3] {
	case "-e query":
		fmt.Fprintf(p.Stdout, "\nDevice #1:\n----------\n\nDevice type:    ConnectX5\nDevice:         %s\n\n", c.PCI)
		fmt.Fprintf(p.Stdout, "Configurations:%38s%20s%22s\n", "Default", "Current", "Next Boot")
		for _, name := range words[4:] {
			v := c.find(name)
			if v == nil {
				return fail(p, 3, "-E- The Device doesn't support %s parameter", name)
			}
			mark := " "
			if v.Now != v.Next {
				mark = "*"
			}
			fmt.Fprintf(p.Stdout, "%s        %-44s%-20d%-20d%-20d\n", mark, name, v.Now, v.Now, v.Next)
		}
		return 0
	case "-y set":
		for _, pair := range words[4:] {
			name, text, _ := strings.Cut(pair, "=")
			n, err := strconv.Atoi(text)
			if v := c.find(name); v == nil || err != nil || n < 0 {
				return fail(p, 3, "-E- Failed to set %s", name)
			}
			c.find(name).Next = n
		}
		fmt.Fprint(p.Stdout, "Applying... Done!\n-I- Please reboot machine to load new configurations.\n")
		return 0
	}
	return fail(p, 1, "-E- Unknown command")
}

// mstfwreset simulates "mstfwreset -d BDF query" and "mstfwreset -d BDF -y --level 3 reset". A reset is in effect for every port of the
// card, and bounces their links. The ports keep their settings, as systemd applies them again when the interfaces come back.
func mstfwreset(ports []Port, p *target.Proc) int {
	words := p.Args[1:]
	if len(words) < 3 || words[0] != "-d" || function(ports, words[1]) == nil || !p.Root {
		return fail(p, 1, "-E- Failed to open the device")
	}
	switch strings.Join(words[2:], " ") {
	case "query":
		fmt.Fprint(p.Stdout, "Reset-levels:\n3: Driver restart and PCI reset                                  -Supported     (default)\n")
		return 0
	case "-y --level 3 reset":
		bus, _, _ := strings.Cut(words[1], ".")
		for _, c := range ports {
			if strings.HasPrefix(c.PCI, bus+".") {
				Reload(*c.Stored)
				c.Reset()
			}
		}
		fmt.Fprint(p.Stdout, "-I- FW was loaded successfully.\n")
		return 0
	}
	return fail(p, 2, "mstfwreset: error: argument command: invalid choice")
}

// fail prints a message of the tools of the firmware.
func fail(p *target.Proc, status int, format string, args ...any) int {
	fmt.Fprintf(p.Stderr, format+"\n", args...)
	return status
}

// Reload makes a card use the parameters that it stores.
func Reload(all []Parameter) {
	for i := range all {
		all[i].Now = all[i].Next
	}
}
