package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	nicsim "github.com/rocec/rocec/targets/nic/sim"
	"github.com/rocec/rocec/targets/target"
)

// mlnxOptions maps every option to its short form, and to whether it has an argument.
var mlnxOptions = map[string]struct {
	short string
	value bool
}{
	"interface": {"i", true}, "pfc": {"f", true}, "specific_pfc": {"F", true}, "get_pfc": {"P", true}, "prio_tc": {"p", true},
	"tsa": {"s", true}, "tcbw": {"t", true}, "ratelimit": {"r", true}, "dcbx": {"d", true}, "trust": {"", true},
	"dscp2prio": {"", true}, "cable_len": {"", true}, "prio2buffer": {"", true}, "buffer_size": {"", true},
	"all": {"a", false}, "help": {"h", false}, "version": {"", false},
}

// optparse reads options as Python's optparse does, with unambiguous prefixes of long options.
func optparse(args []string) (set map[string][]string, err string) {
	set = map[string][]string{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, value, given := "", "", false
		switch {
		case strings.HasPrefix(arg, "--"):
			var word string
			word, value, given = strings.Cut(arg[2:], "=")
			var fits []string
			for _, long := range slices.Sorted(maps.Keys(mlnxOptions)) {
				if long != "all" && strings.HasPrefix(long, word) {
					fits = append(fits, long)
				}
			}
			if slices.Contains(fits, word) {
				fits = []string{word}
			}
			switch len(fits) {
			case 0:
				return nil, "no such option: --" + word
			case 1:
				name = fits[0]
			default:
				return nil, "ambiguous option: --" + word + " (" + "--" + strings.Join(fits, ", --") + "?)"
			}
		case len(arg) > 1 && arg[0] == '-':
			for long, o := range mlnxOptions {
				if o.short == arg[1:2] {
					name = long
				}
			}
			if name == "" {
				return nil, "no such option: " + arg[:2]
			}
			value, given = arg[2:], len(arg) > 2
		default:
			continue // operands are ignored
		}
		if mlnxOptions[name].value && !given {
			if len(args) == 0 {
				return nil, "--" + name + " option requires 1 argument"
			}
			value, args = args[0], args[1:]
		}
		set[name] = append(set[name], value)
	}
	return set, ""
}

// mlnxError ends a run with status 1.
type mlnxError string

// mlnxQos simulates mlnx_qos of the vendor's mlnx-tools, from its documented options and output. It sets values in a fixed order and then
// always prints the whole state.
func (s *NICs) mlnxQos(p *target.Proc) (status int) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case mlnxError:
			fmt.Fprintln(p.Stderr, string(e))
			status = 1
		default:
			panic(e)
		}
	}()
	set, problem := optparse(p.Args[1:])
	if problem != "" {
		fmt.Fprintf(p.Stderr, "Usage:\nmlnx_qos -i <interface> [options]\n\nmlnx_qos: error: %s\n", problem)
		return 2
	}
	get := func(name string) (string, bool) {
		v := set[name]
		if len(v) == 0 {
			return "", false
		}
		return v[len(v)-1], true
	}
	if _, ok := get("help"); ok {
		p.Print("Usage:\nmlnx_qos -i <interface> [options]\n")
		return 0
	}
	dev, ok := get("interface")
	if !ok {
		panic(mlnxError("Interface name is required"))
	}
	c, err := s.find(dev)
	if err != nil {
		panic(mlnxError(fmt.Sprintf("OSError: [Errno %d] %v", map[error]int{target.ENODEV: 19, target.EOPNOTSUPP: 95}[err], err)))
	}
	m := &mlnx{s: s, p: p, c: c, get: get, set: set}
	if m.change() {
		return 0
	}
	_, every := get("all")
	p.Print(m.state(every))
	return 0
}

type mlnx struct {
	s   *NICs
	p   *target.Proc
	c   *card
	get func(string) (string, bool)
	set map[string][]string
}

// write is one request to the kernel.
func (m *mlnx) write(do func() error) {
	err := error(target.EPERM)
	if m.p.Root {
		if err = m.s.m.Change(m.p.CommandLine()); err == nil {
			err = do()
		}
	}
	if err != nil {
		panic(mlnxError("OSError: " + err.Error()))
	}
}

// list reads the eight values of an option.
func (m *mlnx) list(name string, low, high int) (a [8]int, given bool) {
	value, given := m.get(name)
	if !given {
		return a, false
	}
	words := strings.Split(value, ",")
	if len(words) != 8 {
		panic(mlnxError(name + " list must have 8 values"))
	}
	for i, w := range words {
		a[i] = m.number(name, w, low, high)
	}
	return a, true
}

func (m *mlnx) number(name, word string, low, high int) int {
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || n < low || n > high {
		panic(mlnxError(fmt.Sprintf("%s: %q is not a number from %d to %d", name, word, low, high)))
	}
	return n
}

// change applies the options in the tool's order; quiet states that nothing is printed afterwards.
func (m *mlnx) change() (quiet bool) {
	c := m.c
	_, trust := m.get("trust")
	if trust && m.set["dscp2prio"] != nil {
		panic(mlnxError("--trust and --dscp2prio cannot be used together"))
	}
	if mode, ok := m.get("dcbx"); ok {
		switch mode {
		case "get":
		case "os":
			m.write(func() error { _, err := c.SetDCBX(nicsim.DCBXHost | nicsim.DCBXCEE | nicsim.DCBXIEEE); return err })
		case "fw":
			m.write(func() error { _, err := c.SetDCBX(0); return err })
		default:
			panic(mlnxError("dcbx mode must be os, fw or get"))
		}
	}
	if length, ok := m.get("cable_len"); ok {
		metres := m.number("cable_len", length, 0, 65535)
		m.write(func() error { return c.SetPFC(c.PFC, metres) })
	}
	if m.pfc() {
		return true
	}
	m.dscp()
	m.buffers()
	m.ets()
	return false
}

func (m *mlnx) pfc() (quiet bool) {
	c := m.c
	if only, ok := m.get("specific_pfc"); ok {
		words, mask := strings.Split(only, ","), c.PFC
		if len(words) != 8 {
			panic(mlnxError("specific_pfc list must have 8 values"))
		}
		for i, w := range words {
			if w != "x" {
				mask[i] = m.number("specific_pfc", w, 0, 1) == 1
			}
		}
		m.write(func() error { return c.SetPFC(mask, 0) })
		return true
	}
	if prio, ok := m.get("get_pfc"); ok {
		m.p.Print(fmt.Sprintf("%d\n", map[bool]int{true: 1}[c.PFC[m.number("get_pfc", prio, 0, 7)]]))
		return true
	}
	if bits, ok := m.list("pfc", 0, 1); ok {
		var mask [8]bool
		for i, b := range bits {
			mask[i] = b == 1
		}
		m.write(func() error { return c.SetPFC(mask, 0) })
	}
	return false
}

func (m *mlnx) dscp() {
	c := m.c
	flush := func() error {
		for _, a := range c.Maps() {
			if err := c.DelApp(a); err != nil {
				return err
			}
		}
		return nil
	}
	for _, op := range m.set["dscp2prio"] {
		words := strings.Split(op, ",")
		if words[0] == "flush" {
			m.write(flush)
			continue
		}
		if len(words) != 3 || words[0] != "set" && words[0] != "del" {
			panic(mlnxError("ValueError: " + op))
		}
		a := nicsim.App{
			Selector: nicsim.SelDSCP, Protocol: m.number("dscp2prio", words[1], 0, 63), Priority: m.number("dscp2prio", words[2], 0, 7),
		}
		m.write(func() error {
			if words[0] == "del" {
				return c.DelApp(a)
			}
			return c.AddApp(a)
		})
	}
	switch mode, _ := m.get("trust"); {
	case mode == "dscp" && c.Trust() != "dscp":
		m.write(func() error {
			for dscp := range 64 {
				if err := c.AddApp(nicsim.App{Selector: nicsim.SelDSCP, Protocol: dscp, Priority: dscp >> 3}); err != nil {
					return err
				}
			}
			return nil
		})
	case mode == "pcp" && c.Trust() != "pcp":
		m.write(flush)
	case mode != "" && mode != "dscp" && mode != "pcp":
		panic(mlnxError("trust must be pcp or dscp"))
	}
}

func (m *mlnx) buffers() {
	c := m.c
	prefix := func(name string, high int, a [8]int) ([8]int, bool) {
		value, ok := m.get(name)
		if !ok {
			return a, false
		}
		words := strings.Split(value, ",")
		if len(words) > 8 {
			panic(mlnxError(name + " list has more than 8 values"))
		}
		for i, w := range words {
			a[i] = m.number(name, w, 0, high)
		}
		return a, true
	}
	prioBuf, p := prefix("prio2buffer", 7, c.PrioBuf)
	sizes, s := prefix("buffer_size", 1<<30, c.BufSize)
	if p || s {
		m.write(func() error { return c.SetBuffers(prioBuf, sizes) })
	}
	if limits, ok := m.list("ratelimit", 0, 1<<20); ok {
		m.write(func() error { c.RateLimit = limits; return nil })
	}
}

func (m *mlnx) ets() {
	c := m.c
	tsa, bw := c.TSA, c.BW
	value, hasTSA := m.get("tsa")
	if hasTSA {
		words := strings.Split(value, ",")
		if len(words) != 8 {
			panic(mlnxError("tsa list must have 8 values"))
		}
		for i, w := range words {
			if w != "strict" && w != "ets" && w != "vendor" {
				panic(mlnxError("tsa must be strict, ets or vendor"))
			}
			tsa[i] = w
		}
	}
	given, hasBW := m.list("tcbw", 0, 100)
	for i := range 8 {
		switch {
		case hasBW && tsa[i] != "ets" && given[i] != 0:
			panic(mlnxError("ETS bandwidth of a TC that is not ets must be 0"))
		case hasBW:
			bw[i] = given[i]
		case tsa[i] != "ets":
			bw[i] = 0
		}
	}
	tcOf, hasTC := m.list("prio_tc", 0, 7)
	if !hasTC {
		tcOf = c.TCOf
	}
	if hasTSA || hasBW || hasTC {
		m.write(func() error { return c.SetETS(nicsim.ETS{TSA: tsa, BW: bw, TCOf: tcOf}) })
	}
}

// state returns the dump that the tool prints after every call.
func (m *mlnx) state(every bool) string {
	c := m.c
	var b strings.Builder
	mode := "Firmware"
	if c.DCBX&nicsim.DCBXHost != 0 {
		mode = "OS"
	}
	fmt.Fprintf(&b, "DCBX mode: %s controlled\nPriority trust state: %s\n", mode, c.Trust())
	if c.Trust() == "dscp" {
		b.WriteString("dscp2prio mapping:\n")
		for prio := range 8 {
			var in []int
			for _, a := range c.Maps() {
				if a.Priority == prio {
					in = append(in, a.Protocol)
				}
			}
			slices.Sort(in)
			for row := range slices.Chunk(in, 8) {
				fmt.Fprintf(&b, "\tprio:%d dscp:", prio)
				for _, dscp := range row {
					fmt.Fprintf(&b, "%02d,", dscp)
				}
				b.WriteString("\n")
			}
		}
	}
	b.WriteString("Receive buffer size (bytes): ")
	for _, n := range c.BufSize {
		fmt.Fprintf(&b, "%d,", n)
	}
	fmt.Fprintf(&b, "max_buffer_size=%d\nCable len: %d\n", bufferTotal, c.Delay)
	b.WriteString("PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     ")
	for _, on := range c.PFC {
		fmt.Fprintf(&b, "%d   ", map[bool]int{true: 1}[on])
	}
	b.WriteString("\n\tbuffer      ")
	for _, n := range c.PrioBuf {
		fmt.Fprintf(&b, "%d   ", n)
	}
	b.WriteString("\n")
	for tc := range 8 {
		if !every && !slices.Contains(c.TCOf[:], tc) {
			continue
		}
		limit := "unlimited"
		if c.RateLimit[tc] > 0 {
			limit = fmt.Sprintf("%.1f Gbps", float64(c.RateLimit[tc]))
		}
		fmt.Fprintf(&b, "tc: %d ratelimit: %s, tsa: %s", tc, limit, c.TSA[tc])
		if c.TSA[tc] == "ets" {
			fmt.Fprintf(&b, ", bw: %d%%", c.BW[tc])
		}
		b.WriteString("\n")
		for prio, t := range c.TCOf {
			if t == tc {
				fmt.Fprintf(&b, "\t priority:  %d\n", prio)
			}
		}
	}
	return b.String()
}
