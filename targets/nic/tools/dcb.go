package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
)

// dcb reads dcb of iproute2. The output of show, as text or JSON, has the same words as the arguments of set, add, replace, del and flush.
// Sources: man dcb-pfc, dcb-ets, dcb-app, dcb-apptrust, dcb-buffer, dcb-maxrate, dcb-rewr, dcb-dcbx; iproute2, dcb/*.c.
var dcb = &Printout{
	Name: "dcb",
	begins: func(line string) bool {
		words := strings.Fields(line)
		return len(words) > 1 && slices.Contains([]string{
			"pfc-cap", "prio-pfc", "willing", "ets-cap", "tc-bw", "tc-tsa", "prio-tc", "dscp-prio", "prio-buffer", "buffer-size", "tc-maxrate",
			"total-size",
			"default-prio", "ethtype-prio", "stream-port-prio", "dgram-port-prio", "port-prio", "pcp-prio", "prio-dscp", "prio-pcp", "cbs", "pg-bw",
			"reco-tc-bw", "reco-tc-tsa", "reco-prio-tc",
		}, words[0])
	},
	Options: []Statement{
		{Key: "pfc-cap", Aside: hardware},
		{Key: "macsec-bypass", Aside: nic.NoPriority},
		// mlx5 uses it as metres of cable (Linux, mlx5/core/en_dcbnl.c: mlx5e_dcbnl_ieee_setpfc); other drivers may not.
		{Key: "delay", Means: ir.FieldCable, read: func(r *reader, rest string) string {
			metres, ok := number(rest, 65535)
			if ok {
				put(r, ir.FieldCable, -1, metres, func(n *facts) *int { return &n.delay })
				for _, n := range r.on {
					n.delays++
				}
			}
			return say(ok)
		}},
		{Key: "prio-pfc", Means: ir.FieldPauses, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldPauses, rest, onOff, func(n *facts) *[8]int8 { return &n.pfc })
		}},
		{Key: "requests", Aside: counter},
		{Key: "indications", Aside: counter},
		{Key: "willing", Aside: nic.WhoSets},
		{Key: "ets-cap", Aside: hardware},
		{Key: "cbs", Aside: hardware},
		{Key: "tc-bw", Means: ir.FieldShare, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldShare, rest, smallWord(100), func(n *facts) *[8]int8 { return &n.share })
		}},
		{Key: "pg-bw", Aside: peer},
		{Key: "tc-tsa", Means: ir.FieldStrict, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldStrict, rest, algorithm, func(n *facts) *[8]int8 { return &n.algorithm })
		}},
		{Key: "prio-tc", Means: ir.FieldQueue, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldQueue, rest, smallWord(7), func(n *facts) *[8]int8 { return &n.class })
		}},
		{Key: "reco-tc-bw", Aside: peer},
		{Key: "reco-tc-tsa", Aside: peer},
		{Key: "reco-prio-tc", Aside: peer},
		{Key: "ethtype-prio", Aside: apps},
		{Key: "default-prio", Aside: default_},
		{Key: "dscp-prio", Means: ir.FieldDSCP, read: readDSCPPriority},
		{Key: "pcp-prio", Means: ir.FieldPCP, read: func(r *reader, rest string) string {
			ok := pairs(rest, pcpKey, 15, func(v int, word string) bool {
				prio, is := number(word, 7)
				if is && v < 8 { // a value with drop eligibility has a separate priority
					put(r, ir.FieldPCP, v, int8(prio), func(n *facts) *int8 { return &n.pcp[v] })
				}
				return is
			})
			return say(ok)
		}},
		{Key: "stream-port-prio", Aside: apps},
		{Key: "dgram-port-prio", Aside: apps},
		{Key: "port-prio", Aside: apps},
		{Key: "order", Means: ir.FieldTrust, read: func(r *reader, rest string) string {
			dscp, pcp := slices.Contains(strings.Fields(rest), "dscp"), slices.Contains(strings.Fields(rest), "pcp")
			switch {
			case dscp && pcp:
				r.trust(trustBoth)
			case dscp:
				r.trust(trustDSCP)
			case pcp:
				r.trust(trustPCP)
			default:
				r.trust(trustNone)
			}
			return ""
		}},
		{Key: "prio-dscp", Means: ir.FieldRewrite, read: func(r *reader, _ string) string {
			put(r, ir.FieldRewrite, -1, 1, func(n *facts) *int8 { return &n.rewriteDSCP })
			return ""
		}},
		{Key: "prio-pcp", Means: ir.FieldRewrite, read: func(r *reader, _ string) string {
			put(r, ir.FieldRewrite, -1, 1, func(n *facts) *int8 { return &n.rewritePCP })
			return ""
		}},
		{Key: "prio-buffer", Means: ir.FieldGroup, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldGroup, rest, smallWord(7), func(n *facts) *[8]int8 { return &n.buffer })
		}},
		{Key: "buffer-size", Means: ir.FieldBuffer, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldBuffer, rest, size, func(n *facts) *[8]int { return &n.size })
		}},
		{Key: "total-size", Aside: hardware},
		{Key: "tc-maxrate", Means: ir.FieldMaxRate, read: func(r *reader, rest string) string {
			return setEach(r, ir.FieldMaxRate, rest, rate, func(n *facts) *[8]int64 { return &n.rate })
		}},
		{Key: "host", Aside: nic.WhoSets},
		{Key: "lld-managed", Aside: nic.WhoSets},
		{Key: "cee", Aside: nic.WhoSets},
		{Key: "ieee", Aside: nic.WhoSets},
		{Key: "static", Aside: nic.WhoSets},
	},
	other:   func(p *Printout, r *reader, line string) bool { return dcbWords(p, r, strings.Fields(line)) },
	command: dcbCommand,
	json:    dcbJSON,
}

// dcbWords reads keywords of dcb, each with the values after it.
func dcbWords(p *Printout, r *reader, words []string) (known bool) {
	option := func(word string) *Statement {
		if word[0] < 'a' || word[0] > 'z' { // most words are pairs such as 0:off
			return nil
		}
		return p.option(strings.TrimSuffix(word, ":")) // apptrust prints a colon
	}
	for len(words) > 0 {
		row := option(words[0])
		if row == nil {
			return known
		}
		n := 1
		for n < len(words) && option(words[n]) == nil {
			n++
		}
		if rest := strings.Join(words[1:n], " "); row.Key == "delay" && rest == "0" {
			r.count(&Statement{Aside: absent}, "")
		} else {
			applyDCB(r, row, rest)
		}
		words, known = words[n:], true
	}
	return known
}

// applyDCB reads a value of dcb, and counts the row for its NIC: not every driver passes the value to the card.
func applyDCB(r *reader, row *Statement, rest string) {
	read := &r.h.coverage
	was := read.Means[row.Means]
	r.apply(row, rest)
	if read.Means[row.Means] == was || row.Means != ir.FieldDSCP && !r.stored {
		return
	}
	for _, n := range r.on {
		if n.dcb == nil {
			n.dcb = map[ir.Field]int{}
		}
		n.dcb[row.Means]++
	}
}

func readDSCPPriority(r *reader, rest string) string {
	ok := pairs(rest, dscpKey, 63, func(v int, word string) bool {
		prio, is := number(word, 7)
		if is {
			r.dscp(v, prio)
		}
		return is
	})
	if ok {
		put(r, ir.FieldTrust, -1, 1, func(n *facts) *int8 { return &n.apps })
	}
	return say(ok)
}

// pcpKey reads a PCP of dcb: "3nd" (not drop eligible), "3de", or "3".
func pcpKey(word string) (int, bool) {
	if v, ok := strings.CutSuffix(word, "de"); ok {
		n, ok := number(v, 7)
		return n + 8, ok
	}
	return number(strings.TrimSuffix(word, "nd"), 7)
}

// dcbCommand reads "dcb [OPTIONS] OBJECT VERB dev DEV …".
func dcbCommand(p *Printout, r *reader, args []string) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	i := slices.Index(args, "dev")
	if len(args) < 3 || i < 0 || i+1 >= len(args) {
		r.refuse(strings.Join(args, " "))
		return
	}
	object, verb, rest := args[0], args[1], args[i+2:]
	r.about(args[i+1])
	r.heading = object
	switch {
	case strings.HasPrefix("show", verb):
		r.count(&Statement{Aside: asks}, "")
		if object == "app" && !r.uncertain && (len(rest) == 0 || slices.Contains(rest, "dscp-prio")) { // the output contains the whole table
			r.noDSCP()
			put(r, ir.FieldTrust, -1, 0, func(n *facts) *int8 { return &n.apps })
		}
	case object == "app" && verb == "flush":
		r.flush(rest)
	case object == "app" && strings.HasPrefix(verb, "del"):
		if len(rest) > 0 && rest[0] == "dscp-prio" {
			r.apply(&Statement{Means: ir.FieldDSCP, read: func(r *reader, rest string) string {
				return say(pairs(rest, dscpKey, 63, func(v int, _ string) bool {
					r.dscp(v, -1)
					return true
				}))
			}}, strings.Join(rest[1:], " "))
			return
		}
		r.count(&Statement{Aside: apps}, "")
	case len(rest) == 0 || !dcbWords(p, r, rest):
		r.refuse(strings.Join(args, " "))
	}
}

// flush removes the entries of an application table.
func (r *reader) flush(rest []string) {
	if len(rest) > 0 && !slices.Contains(rest, "dscp-prio") {
		r.count(&Statement{Aside: apps}, "")
		return
	}
	r.apply(&Statement{Means: ir.FieldDSCP, More: []ir.Field{ir.FieldTrust}, read: func(r *reader, _ string) string {
		r.noDSCP()
		put(r, ir.FieldTrust, -1, 0, func(n *facts) *int8 { return &n.apps })
		return ""
	}}, "")
}

// dcbJSON converts an object of dcb -j to the text output, and reads the text.
func dcbJSON(p *Printout, r *reader, object map[string]any) bool {
	known := r.tool == p
	for key, value := range object {
		_, flag := value.(bool) // such as the modes of DCBX
		known = known || (flag || strings.Contains(key, "_")) && p.option(strings.ReplaceAll(key, "_", "-")) != nil
	}
	if !known {
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		row := p.option(strings.ReplaceAll(key, "_", "-"))
		switch {
		case row == nil:
			r.miss(key, noTool)
		case key == "tc_maxrate" && object[key] != nil && !zeros(object[key]):
			r.miss(key, "the unit of rates in JSON differs between releases of dcb")
		default:
			applyDCB(r, row, spell(object[key]))
		}
	}
	return true
}

func zeros(value any) bool {
	list, ok := value.([]any)
	return ok && !slices.ContainsFunc(list, func(v any) bool { return v != json.Number("0") })
}

// spell spells a value of JSON as in the text output of dcb.
func spell(value any) string {
	switch v := value.(type) {
	case bool:
		return map[bool]string{true: "on", false: "off"}[v]
	case json.Number:
		return v.String()
	case string:
		return v
	case []any:
		var out []string
		for i, item := range v {
			if pair, is := item.([]any); is && len(pair) == 2 { // an entry of an application table
				out = append(out, spell(pair[0])+":"+spell(pair[1]))
			} else if text, is := item.(string); is && (text == "dscp" || text == "pcp") {
				out = append(out, text)
			} else {
				out = append(out, strconv.Itoa(i)+":"+spell(item))
			}
		}
		return strings.Join(out, " ")
	}
	return "?"
}
