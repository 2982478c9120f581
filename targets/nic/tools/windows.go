package tools

import (
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// The cmdlets of Windows that print the settings of DCB. Their output is from Microsoft's reference of the modules DcbQoS, NetQos and
// NetAdapter, and from its page "Manage Data Center Bridging (DCB)". Only an English Windows prints these words.
//
// Windows applies the policies of the system and of the adapter if QoS is on and the adapter is not willing. Get-NetAdapterQos prints the
// values in force.

// sets is the reason why a cmdlet that changes a value is not read.
const sets = "rocec reads the output of the Get- cmdlets of Windows, not the values that cmdlets set"

// netQosFlowControl reads Get-NetQosFlowControl: a row for each priority.
var netQosFlowControl = &Printout{
	Name: "get-netqosflowcontrol", weak: systemPolicy, alone: true,
	begins:  func(line string) bool { return beginsWith(line, "Priority", "Enabled") },
	Rows:    []Statement{{Key: "Priority", With: "Enabled", Aside: heading}},
	Options: []Statement{{Key: "pfc", Means: ir.FieldPauses, read: priorityEnabled, free: true}},
	other: func(p *Printout, r *reader, line string) bool {
		words := strings.Fields(line)
		if len(words) < 2 || len(words[0]) != 1 {
			return false
		}
		ofPolicy(r, words[2:])
		r.apply(p.option("pfc"), words[0]+" "+words[1])
		return true
	},
	command: cmdlet,
}

// priorityEnabled reads "3 True".
func priorityEnabled(r *reader, rest string) string {
	word, value, _ := strings.Cut(rest, " ")
	prio, ok := number(word, 7)
	on, is := truth(value)
	if ok = ok && is; ok {
		put(r, ir.FieldPauses, prio, on, func(n *facts) *int8 { return &n.pfc[prio] })
	}
	return say(ok)
}

// netQosTrafficClass reads Get-NetQosTrafficClass. Windows prints no numbers of classes, so the rows are numbered in their order.
var netQosTrafficClass = &Printout{
	Name: "get-netqostrafficclass", weak: systemPolicy, alone: true,
	begins: func(line string) bool { return beginsWith(line, "Name", "Algorithm", "Bandwidth(%)") },
	Rows:   []Statement{{Key: "Name", With: "Algorithm", Aside: heading}},
	Options: []Statement{{
		Key: "class", Means: ir.FieldQueue, More: []ir.Field{ir.FieldStrict, ir.FieldShare}, read: trafficClass, free: true,
	}},
	other: func(p *Printout, r *reader, line string) bool {
		words := strings.Fields(line)
		at := slices.IndexFunc(words, func(w string) bool { _, is := algorithm(w); return is })
		if at < 1 {
			return false
		}
		end := len(words)
		if policy := slices.IndexFunc(words[at:], isPolicy); policy >= 0 {
			end = at + policy
		}
		ofPolicy(r, words[end:])
		r.class++
		r.apply(p.option("class"), strings.Join(append([]string{string(rune('0' + r.class))}, words[at:end]...), " "))
		return true
	},
	command: cmdlet,
}

// trafficClass reads "1 ETS 30% 3,4" or "0 Strict 0-7": the number of a class, its algorithm, its share and its priorities.
func trafficClass(r *reader, rest string) string {
	words := strings.Fields(rest)
	if len(words) < 3 || len(words) > 4 {
		return noSense
	}
	tc, ok := number(words[0], 7)
	how, known := algorithm(words[1])
	list, is := priorities(words[len(words)-1])
	share, percent := 0, true
	if len(words) == 4 {
		share, percent = number(strings.TrimSuffix(words[2], "%"), 100)
	}
	if !ok || !known || !is || !percent || how == ets && len(words) < 4 {
		return noSense
	}
	put(r, ir.FieldStrict, tc, how, func(n *facts) *int8 { return &n.algorithm[tc] })
	put(r, ir.FieldShare, tc, int8(share), func(n *facts) *int8 { return &n.share[tc] })
	for _, prio := range list {
		put(r, ir.FieldQueue, prio, int8(tc), func(n *facts) *int8 { return &n.class[prio] })
	}
	return ""
}

// netQosDcbxSetting reads Get-NetQosDcbxSetting. Windows applies no policy to a willing adapter (Microsoft, Set-NetQosDcbxSetting).
var netQosDcbxSetting = &Printout{
	Name: "get-netqosdcbxsetting", weak: systemPolicy, alone: true,
	begins: func(line string) bool { return beginsWith(line, "Willing") },
	Rows:   []Statement{{Key: "Willing", Aside: heading}},
	other: func(_ *Printout, r *reader, line string) bool {
		words := strings.Fields(line)
		willing, ok := truth(words[0])
		if !ok {
			return false
		}
		ofPolicy(r, words[1:])
		for _, n := range r.on {
			n.unused[r.weak] = willing
		}
		r.count(&Statement{Aside: nic.WhoSets}, "")
		return true
	},
	command: cmdlet,
}

// netQosLists reads Get-NetAdapterQos and Get-NetQosPolicy, which print lists that begin with a name.
var netQosLists = &Printout{
	Name: "get-netadapterqos", Aliases: []string{"get-netqospolicy"}, alone: true,
	begins: func(line string) bool {
		name, _, ok := strings.Cut(line, ":")
		return ok && strings.TrimSpace(name) == "Name"
	},
	Rows: []Statement{
		{Key: "Name ", Aside: heading, free: true, read: func(r *reader, rest string) string {
			r.on, r.file, r.heading = nil, afterColon(rest), ""
			return ""
		}},
		{Key: "Enabled ", Aside: heading, free: true, read: func(r *reader, rest string) string {
			on, ok := truth(afterColon(rest))
			aboutAlias(r, r.file)
			for _, n := range r.on {
				n.unused[0] = 1 - on
			}
			if ok && on == 0 { // then the adapter has no traffic classes, and no priority with PFC
				r.mask(0)
			}
			return say(ok)
		}},
		{Key: "MacSecBypass", Aside: hardware},
		{Key: "DcbxSupport", Aside: hardware},
		{Key: "NumTCs", Aside: hardware},
		{Key: "Capabilities", Aside: heading},
		{Key: "Hardware ", Aside: heading},
		{Key: "OperationalTrafficClasses", Aside: heading, free: true, read: beginClasses},
		{Key: "OperationalFlowControl", Means: ir.FieldPauses, read: operationalPFC},
		{Key: "OperationalClassifications", Aside: heading, free: true, read: beginApplications},
		{Key: "Remote", Aside: peer, free: true, read: beginRemote},
		{Key: "Owner", Aside: apps},
		{Key: "NetworkProfile", Aside: apps},
		{Key: "Precedence", Aside: apps},
		{Key: "Template", Aside: apps},
		{Key: "JobObject", Aside: apps},
		{Key: "NetDirectPort", Aside: apps},
		{Key: "PriorityValue", Aside: apps},
		{Key: "IP", Aside: apps},
		{Key: "AppPathName", Aside: apps},
		{Key: "URI", Aside: apps},
		{Key: "User", Aside: apps},
		{Key: "DSCPValue", Aside: apps},
		{Key: "MinBandwidthWeight", Aside: apps},
		{Key: "ThrottleRate", Aside: apps},
	},
	Options: []Statement{{Key: "class", Means: ir.FieldQueue, More: []ir.Field{ir.FieldStrict, ir.FieldShare}, read: trafficClass}},
	other: func(p *Printout, r *reader, line string) bool {
		switch {
		case r.heading == "classes":
			r.apply(p.option("class"), line)
		case r.heading == "applications":
			r.count(&Statement{Aside: apps}, "")
		case r.heading == "remote":
			r.count(&Statement{Aside: peer}, "")
		default:
			return false
		}
		return true
	},
	command: cmdlet,
}

// A part of a list, whose rows have no name.
func beginClasses(r *reader, _ string) string      { r.heading = "classes"; return "" }
func beginApplications(r *reader, _ string) string { r.heading = "applications"; return "" }
func beginRemote(r *reader, _ string) string       { r.heading = "remote"; return "" }

// operationalPFC reads "Priority 3 Enabled", "Priorities 3,4 Enabled" or "All Priorities Disabled".
func operationalPFC(r *reader, rest string) string {
	words := strings.Fields(afterColon(rest))
	r.heading = ""
	if len(words) != 3 {
		return noSense
	}
	all := strings.EqualFold(words[0], "all") && words[1] == "Priorities"
	list, ok := priorities(words[1])
	mask := uint8(0)
	for _, prio := range list {
		mask |= 1 << prio
	}
	switch {
	case all && words[2] == "Disabled":
		mask = 0
	case all && words[2] == "Enabled":
		mask = 0xff
	case !ok || !strings.HasPrefix(words[0], "Priorit") || words[2] != "Enabled":
		return noSense
	}
	r.mask(mask)
	return ""
}

// netAdapterProperty reads Get-NetAdapterAdvancedProperty. The keywords that all drivers share, and their values, are from Microsoft's
// "Standardized INF Keywords for Network Devices". *JumboPacket includes the 14 bytes of the Ethernet header.
var netAdapterProperty = &Printout{
	Name: "get-netadapteradvancedproperty", alone: true,
	begins: func(line string) bool { return beginsWith(line, "Name", "DisplayName") },
	Rows:   []Statement{{Key: "Name", With: "DisplayName", Aside: heading}},
	Options: []Statement{
		{Key: "*FlowControl", Means: ir.FieldLinkPause, read: func(r *reader, rest string) string {
			v, ok := number(rest, 4)
			if ok && v < 4 { // 4: by negotiation with the other end
				put(r, ir.FieldLinkPause, 0, int8(v>>1), func(n *facts) *int8 { return &n.rx })
				put(r, ir.FieldLinkPause, 1, int8(v&1), func(n *facts) *int8 { return &n.tx })
			}
			return say(ok)
		}},
		{Key: "*JumboPacket", Means: ir.FieldMTU, read: func(r *reader, rest string) string {
			frame, ok := number(rest, 1<<16)
			if ok = ok && frame > 14; ok {
				put(r, ir.FieldMTU, -1, frame-14, func(n *facts) *int { return &n.mtu })
			}
			return say(ok)
		}},
		{Key: "other", Aside: nic.NoPriority},
	},
	other: func(p *Printout, r *reader, line string) bool {
		before, value, ok := strings.Cut(line, "{")
		words := strings.Fields(before)
		if !ok || len(words) < 2 {
			return false
		}
		row := p.option(words[len(words)-1])
		if row == nil {
			row = p.option("other")
		}
		aboutAlias(r, aliasAt(r, line))
		if len(r.on) == 0 && row.read != nil {
			r.count(&Statement{Aside: "no other output names the adapter"}, "")
			return true
		}
		r.apply(row, strings.TrimSuffix(strings.TrimSpace(value), "}"))
		return true
	},
	command: cmdlet,
}

// netOther reads cmdlets whose output has no settings that affect packets.
var netOther = &Printout{
	Name: "get-netadapter", alone: true,
	Aliases: []string{
		"get-netadapterrdma", "get-netadapterhardwareinfo", "get-netadapterstatistics", "get-smbclientnetworkinterface",
		"get-smbmultichannelconnection", "get-netadaptervmq", "get-netadaptersriov", "get-windowsfeature", "get-netipinterface",
	},
	other: func(_ *Printout, r *reader, _ string) bool {
		r.count(&Statement{Aside: hardware}, "")
		return true
	},
	command: cmdlet,
}

// netSets reads cmdlets that set values.
var netSets = &Printout{
	Name: "set-netqosdcbxsetting", alone: true,
	Aliases: []string{
		"enable-netqosflowcontrol", "disable-netqosflowcontrol", "set-netqosflowcontrol", "new-netqospolicy", "set-netqospolicy",
		"remove-netqospolicy", "new-netqostrafficclass", "set-netqostrafficclass", "remove-netqostrafficclass", "enable-netadapterqos",
		"disable-netadapterqos", "set-netadapterqos", "set-netadapteradvancedproperty",
	},
	other: func(_ *Printout, r *reader, _ string) bool { // they print the new object
		r.count(&Statement{Aside: heading}, "")
		return true
	},
	command: func(_ *Printout, r *reader, _ []string) { r.miss(r.text, sets) },
}

// cmdlet counts a command line that prints settings.
func cmdlet(_ *Printout, r *reader, _ []string) {
	r.on = nil // a parameter may be a pattern of names, but the rows name the adapter
	r.count(&Statement{Aside: asks}, "")
}

// isPolicy reports whether a word names the scope of a policy.
func isPolicy(word string) bool { return word == "Global" || word == "AdapterSpecific" }

// ofPolicy sets the adapters of a row by its last columns: the scope of the policy, and the number and the name of the adapter.
func ofPolicy(r *reader, columns []string) {
	if len(columns) > 2 && columns[0] == "AdapterSpecific" {
		r.weak = adapterPolicy
		aboutAlias(r, strings.Join(columns[2:], " "))
		return
	}
	r.weak, r.on = systemPolicy, nil
	for _, port := range r.h.id.Ports {
		r.on = append(r.on, r.h.card(port))
	}
}

// aboutAlias sets the NIC by its name in Windows.
func aboutAlias(r *reader, name string) {
	if r.on = nil; name != "" {
		r.on = []*card{r.h.card(r.h.alias(name))}
		if r.h.aliases == nil {
			r.h.aliases = map[string]bool{}
		}
		r.h.aliases[r.h.alias(name)] = true
	}
}

// alias returns the port with a name in Windows, or the name itself. It ignores case and spaces, since names in a fabric have neither.
func (h *host) alias(name string) string {
	for _, port := range h.id.Ports {
		if strings.EqualFold(strings.ReplaceAll(name, " ", ""), port) {
			return port
		}
	}
	return name
}

// aliasAt returns the name at the beginning of a table row, if the fabric or another output has the name. A name may contain spaces, and a
// column may end with spaces.
func aliasAt(r *reader, line string) string {
	for end := range len(line) {
		if line[end] != ' ' {
			continue
		}
		if name := r.h.alias(line[:end]); slices.Contains(r.h.id.Ports, name) || r.h.aliases[name] {
			return name
		}
	}
	r.h.unresolved = true
	return ""
}

// beginsWith reports whether a line begins with these words.
func beginsWith(line string, words ...string) bool {
	all := strings.Fields(line)
	return len(all) >= len(words) && slices.Equal(all[:len(words)], words)
}

func afterColon(text string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), ":"))
}

func truth(word string) (int8, bool) {
	switch strings.ToLower(word) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	return 0, false
}

// priorities reads "0-2,4,7".
func priorities(text string) ([]int, bool) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, is := strings.Cut(part, "-")
		if !is {
			to = from
		}
		first, ok := number(from, 7)
		last, is := number(to, 7)
		if !ok || !is || first > last || len(out) > 8 {
			return nil, false
		}
		for p := first; p <= last; p++ {
			out = append(out, p)
		}
	}
	return out, true
}
