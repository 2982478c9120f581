// Package stp reads spanning trees ([SpanningTree]) from the programs that run them.
package stp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/forwarding"
)

// SpanningTree is a spanning tree of a bridge.
type SpanningTree struct {
	Name string // of the bridge
	ir.ForwardingTree
}

// Limits of spanning trees.
const (
	mostTrees = 8192 // VLANs of two bridges
	treeDepth = 8    // of nested objects
)

// errTrees is the error for an answer in another form.
const errTrees forwarding.Unread = "it is empty or cut off, or has a form of spanning trees that rocec does not know"

// stateOf returns the state of a port in the words of Linux; empty: the word is not known. IEEE 802.1Q has three states: a port that
// discards is listening, blocking or disabled in IEEE 802.1D.
func stateOf(word string) string {
	switch word = strings.ToLower(word); word {
	case "forwarding", "learning", "blocking", "listening", "disabled":
		return word
	case "discarding":
		return "blocking"
	}
	return ""
}

// Read reads the JSON of mstpctl: objects of bridges and of ports, at any depth. The members have names with dashes (mstpd) or in camel
// case (Cumulus Linux).
//
// Source: github.com/mstpd/mstpd@9f8cc634, ctl_main.c, do_showbridge_fmt_json and do_showport_fmt_json: bridge, bridge-id, designated-root;
// port, bridge, state, designated-root. The members of Cumulus Linux, bridgeName, portName, state, dsgnRoot and dsgnBr, are those of a
// public program that decodes `mstpctl showportdetail BRIDGE json`; that showall prints them, too, is unsure.
func Read(data []byte) ([]SpanningTree, error) {
	in := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	all := &treeReader{at: map[string]*SpanningTree{}}
	empty := false // there is no bridge
	for n := 0; ; n++ {
		var v any
		err := in.Decode(&v)
		if errors.Is(err, io.EOF) && n > 0 {
			break
		}
		if err != nil {
			return nil, errTrees
		}
		list, isList := v.([]any)
		object, isObject := v.(map[string]any)
		empty = isList && len(list) == 0 || isObject && len(object) == 0
		all.walk(v, treeDepth)
	}
	if len(all.list) == 0 && !empty {
		return nil, errTrees
	}
	return all.sorted(), nil
}

// sorted returns the trees by VLAN and bridge.
func (r *treeReader) sorted() []SpanningTree {
	out := []SpanningTree{}
	for _, t := range r.list {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b SpanningTree) int { return cmp.Or(a.VLAN-b.VLAN, strings.Compare(a.Name, b.Name)) })
	return out
}

// treeReader collects spanning trees by bridge and VLAN.
type treeReader struct {
	list []*SpanningTree
	at   map[string]*SpanningTree
}

// of returns the tree of a bridge and a VLAN; nil: there are too many.
func (r *treeReader) of(bridge string, vlan int) *SpanningTree {
	key := bridge + "|" + strconv.Itoa(vlan)
	if r.at[key] == nil && len(r.list) < mostTrees {
		t := &SpanningTree{Name: forwarding.Plain(bridge)}
		t.VLAN, t.States = vlan, map[string]string{}
		r.at[key], r.list = t, append(r.list, t)
	}
	return r.at[key]
}

// walk reads a value.
func (r *treeReader) walk(v any, deep int) {
	if deep == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			r.walk(one, deep-1)
		}
	case map[string]any:
		r.object(v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			r.walk(v[name], deep-1)
		}
	}
}

// object reads an object of a bridge or of a port.
func (r *treeReader) object(members map[string]any) {
	text := func(names ...string) string {
		for _, name := range names {
			if s, ok := members[name].(string); ok {
				return s
			}
		}
		return ""
	}
	bridge, port := text("bridge", "bridgeName"), text("port", "portName")
	root := text("designated-root", "dsgnRoot", "designatedRoot")
	id, state := text("bridge-id", "bridgeId"), stateOf(text("state"))
	vlan, _ := strconv.Atoi(text("vlan", "vid"))
	if n, ok := members["vlan"].(float64); ok {
		vlan = int(min(max(n, 0), mostVLAN))
	}
	if bridge == "" || root == "" || id == "" && (port == "" || state == "") {
		return
	}
	t := r.of(bridge, vlan)
	switch {
	case t == nil:
	case port != "":
		if t.States[forwarding.Plain(port)] = state; t.Root == "" && state == "forwarding" {
			t.Root = forwarding.BridgeID(root)
		}
	default:
		t.Root, t.Bridge = forwarding.BridgeID(root), forwarding.BridgeID(id)
	}
}

// mostVLAN is the largest VLAN of 802.1Q.
const mostVLAN = 4094

// ReadVLANs reads the text of `nv show bridge domain BRIDGE stp vlan`: for each VLAN the priority and the address of the bridge and of its
// root.
//
// Source: NVUE reference of NVIDIA, Show Commands, Bridge, since Cumulus Linux 5.6.
func ReadVLANs(data []byte) ([]SpanningTree, error) {
	all := &treeReader{at: map[string]*SpanningTree{}}
	var now *SpanningTree
	for line := range bytes.Lines(data) {
		words := strings.Fields(string(line))
		if len(words) == 3 && words[0] == "Bridge" && words[1] == "Vlan:" {
			vlan, err := strconv.Atoi(words[2])
			if now = nil; err == nil && vlan > 0 && vlan <= mostVLAN {
				now = all.of("", vlan)
			}
			continue
		}
		if now == nil {
			continue
		}
		text := strings.Join(words, " ")
		if rest, is := strings.CutPrefix(text, "Bridge ID priority : "); is {
			now.Bridge = priorityAndAddress(rest)
		} else if rest, is := strings.CutPrefix(text, "Designated Root ID priority : "); is {
			now.Root = priorityAndAddress(rest)
		}
	}
	if len(all.list) == 0 || slices.ContainsFunc(all.list, func(t *SpanningTree) bool { return t.Root == "" || t.Bridge == "" }) {
		return nil, errTrees
	}
	return all.sorted(), nil
}

// priorityAndAddress returns the identifier in "4106 mac-address : 44:38:39:22:01:B1"; empty: the text has another form.
func priorityAndAddress(text string) string {
	words := strings.Fields(text)
	if len(words) < 4 || words[1] != "mac-address" || words[2] != ":" {
		return ""
	}
	n, err := strconv.ParseUint(words[0], 10, 16)
	if err != nil {
		return ""
	}
	return forwarding.BridgeID(fmt.Sprintf("%04x.%s", n, words[3]))
}

// KeptVLANs returns spanning trees in the form of [ReadVLANs].
func KeptVLANs(trees []SpanningTree) []byte {
	var out bytes.Buffer
	for _, t := range trees {
		fmt.Fprintf(&out, "Bridge Vlan: %d\nBridge ID priority : %s\n", t.VLAN, spelled(t.Bridge))
		fmt.Fprintf(&out, "Designated Root ID priority : %s\n", spelled(t.Root))
	}
	return out.Bytes()
}

// Kept returns spanning trees in the form of mstpd.
func Kept(trees []SpanningTree) ([]byte, error) {
	type object = map[string]any
	all := []object{}
	for _, t := range trees {
		if t.Bridge != "" {
			all = append(all, object{"bridge": t.Name, "vlan": t.VLAN, "bridge-id": t.Bridge, "designated-root": t.Root})
		}
		for _, port := range slices.Sorted(maps.Keys(t.States)) {
			all = append(all, object{"bridge": t.Name, "vlan": t.VLAN, "port": port, "state": t.States[port], "designated-root": t.Root})
		}
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetIndent("", " ")
	err := to.Encode(all)
	return out.Bytes(), err
}

// spelled returns an identifier as priority and address.
func spelled(id string) string {
	priority, address, _ := strings.Cut(id, ".")
	n, _ := strconv.ParseUint(priority, 16, 16)
	return fmt.Sprintf("%d mac-address : %s", n, address)
}
