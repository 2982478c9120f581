package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// dscpNames are the names of /etc/iproute2/rt_dsfield as shipped, by DSCP. show prints 0 without a name.
var dscpNames = map[int]string{
	8: "CS1", 16: "CS2", 24: "CS3", 32: "CS4", 40: "CS5", 48: "CS6", 56: "CS7", 46: "EF",
	10: "AF11", 12: "AF12", 14: "AF13", 18: "AF21", 20: "AF22", 22: "AF23", 26: "AF31", 28: "AF32", 30: "AF33", 34: "AF41", 36: "AF42",
	38: "AF43",
}

func dscpKey(s string) (int, bool) {
	if n, ok := numberOrAll(s); ok {
		return n, true
	}
	for n, name := range dscpNames {
		if name == s {
			return n, true
		}
	}
	return 0, s == "default"
}

// appKinds are the tables of the app object, in the order of the output.
var appKinds = []struct {
	word     string
	selector int
}{
	{"ethtype-prio", selEther},
	{"default-prio", selEther},
	{"dscp-prio", selDSCP},
	{"stream-port-prio", selStream},
	{"dgram-port-prio", selDgram},
	{"port-prio", selAny},
}

func (r *dcbRun) app(verb string) int {
	switch verb {
	case "show":
		return r.appShow()
	case "flush":
		return r.appFlush()
	case "replace":
		return r.appReplace()
	}
	apps, helped := r.appParse("app add dev STRING ...")
	if helped {
		return 0
	}
	r.write(func(c *nic) error {
		for _, a := range apps {
			do := c.addApp
			if verb == "del" {
				do = c.delApp
			}
			if err := do(a); err != nil {
				return err
			}
		}
		return nil
	})
	return 0
}

func (r *dcbRun) appShow() int {
	c := r.nic("read")
	var rows []dcbRow
	for _, kind := range appKinds {
		print := func() {}
		if kind.selector == selDSCP {
			print = func() { r.dscpTable(c) }
		}
		rows = append(rows, dcbRow{name: kind.word, print: print})
	}
	if len(r.args) > 0 {
		for ; len(r.args) > 0; r.args = r.args[1:] {
			k := slices.IndexFunc(rows, func(row dcbRow) bool { return short(r.args[0], row.name) })
			if k < 0 {
				r.unknown("app show dev STRING ...")
			}
			rows[k].print()
		}
		return r.flush()
	}
	r.dscpTable(c)
	return r.flush()
}

func (r *dcbRun) dscpTable(c *nic) {
	if len(c.Apps) == 0 {
		return
	}
	text, json := "dscp-prio ", []string{}
	for _, dscp := range slices.Sorted(maps.Keys(c.Apps)) {
		key := strconv.Itoa(dscp)
		json = append(json, fmt.Sprintf("[%d,%d]", dscp, c.Apps[dscp]))
		if name := dscpNames[dscp]; name != "" && !r.numeric {
			key = name
		}
		text += fmt.Sprintf("%s:%d ", key, c.Apps[dscp])
	}
	r.put(text+"\n", "dscp_prio", "["+strings.Join(json, ",")+"]")
}

func (r *dcbRun) appFlush() int {
	c := r.nic("read")
	kinds := r.args
	if len(kinds) == 0 {
		kinds = []string{"dscp-prio"}
	}
	for _, word := range kinds {
		r.args = []string{word}
		kind := pick(word, "ethtype-prio", "default-prio", "dscp-prio", "stream-port-prio", "dgram-port-prio", "port-prio")
		if kind == "" {
			r.unknown("app flush dev STRING ...")
		}
		if kind != "dscp-prio" || len(c.Apps) == 0 {
			continue
		}
		r.write(func(c *nic) error {
			for _, dscp := range slices.Sorted(maps.Keys(c.Apps)) {
				if err := c.delApp(app{selDSCP, dscp, c.Apps[dscp]}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return 0
}

// appReplace adds entries, then removes the former entries with another priority. On mlx5 the driver has already removed these, so the
// second half fails; the status is always 0.
func (r *dcbRun) appReplace() (status int) {
	c := r.nic("read")
	before := maps.Clone(c.Apps)
	defer func() {
		if e := recover(); e != nil {
			if e != dcbError(1) {
				panic(e)
			}
			status = 0
		}
	}()
	apps, helped := r.appParse("app replace dev STRING ...")
	if helped {
		return 0
	}
	fresh := slices.DeleteFunc(slices.Clone(apps), func(a app) bool {
		prio, ok := before[a.protocol]
		return ok && a.selector == selDSCP && prio == a.priority
	})
	step := func(apps []app, do func(*nic, app) error, complaint string) {
		if len(apps) == 0 {
			return
		}
		err := r.tryWrite(func(c *nic) error {
			for _, a := range apps {
				if err := do(c, a); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			r.fail(1, "Attribute write: %v\n%s", err, complaint)
		}
	}
	step(fresh, (*nic).addApp, "Could not add new APP entries")
	var replaced []app
	for _, dscp := range slices.Sorted(maps.Keys(before)) {
		present, same := false, false
		for _, a := range apps {
			if a.selector == selDSCP && a.protocol == dscp {
				present, same = true, same || a.priority == before[dscp]
			}
		}
		if present && !same {
			replaced = append(replaced, app{selDSCP, dscp, before[dscp]})
		}
	}
	step(replaced, (*nic).delApp, "Could not remove replaced APP entries")
	return 0
}

// appParse reads the tables of add, del and replace.
func (r *dcbRun) appParse(help string) (apps []app, helped bool) {
	if len(r.args) == 0 {
		r.usage(help)
		return nil, true
	}
	for len(r.args) > 0 {
		word := pick(r.args[0], "help", "ethtype-prio", "default-prio", "dscp-prio", "stream-port-prio", "dgram-port-prio", "port-prio")
		switch word {
		case "":
			r.unknown(help)
		case "help":
			r.usage(help)
			return nil, true
		case "default-prio":
			r.next()
			for ; len(r.args) > 0; r.args = r.args[1:] {
				n, ok := number(r.args[0])
				if !ok || n > 255 {
					r.fail(1, "Invalid default priority %s", r.args[0])
				}
				apps = append(apps, app{selEther, 0, n})
			}
			continue
		}
		r.next()
		what, top, key := "PORT", 0xffff, number
		selector := map[string]int{
			"ethtype-prio": selEther, "dscp-prio": selDSCP, "stream-port-prio": selStream, "dgram-port-prio": selDgram,
			"port-prio": selAny,
		}[word]
		switch word {
		case "ethtype-prio":
			what = "ETHTYPE"
		case "dscp-prio":
			what, top, key = "DSCP", 63, dscpKey
		}
		r.mapping("", key, func(k int, v string) bool {
			switch {
			case selector == selEther && k < 0x600:
				fmt.Fprintln(r.p.Stderr, "Protocol IDs < 0x600 are reserved for EtherType")
				return false
			case what == "PORT" && k == 0:
				fmt.Fprintln(r.p.Stderr, "Port ID of 0 is invalid")
				return false
			}
			n, ok := number(v)
			if !ok || n > 255 || !r.inRange(what, k, top, "PRIO", n, 7) {
				return false
			}
			first, last := k, k
			if k == all {
				first, last = 0, top
			}
			for ; first <= last; first++ {
				apps = append(apps, app{selector, first, n})
			}
			return true
		})
	}
	return apps, false
}

var dcbxFlags = []struct {
	bit        int
	word, json string
}{
	{dcbxHost, "host", "host"},
	{dcbxLLD, "lld-managed", "lld_managed"},
	{dcbxCEE, "cee", "cee"},
	{dcbxIEEE, "ieee", "ieee"},
	{dcbxStatic, "static", "static"},
}

func (r *dcbRun) dcbxObject(verb string) int {
	if verb == "show" {
		c := r.nic("read")
		if len(r.args) > 0 {
			r.unknown("dcbx show dev STRING")
		}
		for _, f := range dcbxFlags {
			if c.DCBX&f.bit != 0 {
				r.put(f.word+" ", f.json, "true")
			}
		}
		r.nl()
		return r.flush()
	}
	if len(r.args) == 0 {
		r.usage("dcbx set dev STRING ...")
		return 0
	}
	mode := 0
	for ; len(r.args) > 0; r.args = r.args[1:] {
		k := -1
		for i, f := range dcbxFlags {
			if k < 0 && short(r.args[0], f.word) {
				k = i
			}
		}
		if k < 0 {
			r.unknown("dcbx set dev STRING ...")
		}
		mode |= dcbxFlags[k].bit
	}
	r.write(func(c *nic) error {
		if !c.setDCBX(mode) {
			return target.Errno("Unknown error -1")
		}
		return nil
	})
	return 0
}

// buffer follows the source of iproute2 6.1, and was not compared with a real NIC.
func (r *dcbRun) buffer(verb string) int {
	c := r.nic("read")
	if verb == "show" {
		return r.show("buffer show dev STRING ...", []dcbRow{
			{name: "prio-buffer", print: func() { numbers(r, "prio-buffer", c.PrioBuf) }},
			{name: "buffer-size", print: func() { array(r, "buffer-size", c.BufSize, size, strconv.Itoa) }},
			{name: "total-size", print: func() { r.put("total-size "+size(bufferTotal)+" ", "total_size", strconv.Itoa(bufferTotal)) }},
		})
	}
	if len(r.args) == 0 {
		r.usage("buffer set dev STRING ...")
		return 0
	}
	prioBuf, sizes := c.PrioBuf, c.BufSize
	for len(r.args) > 0 {
		switch pick(r.args[0], "help", "prio-buffer", "buffer-size") {
		case "help":
			r.usage("buffer set dev STRING ...")
			return 0
		case "prio-buffer":
			r.next()
			r.mapping("priority mapping ", numberOrAll, func(k int, v string) bool {
				n, ok := number(v)
				if !ok || !r.inRange("PRIO", k, 7, "BUFFER", n, 7) {
					return false
				}
				assign(&prioBuf, k, n)
				return true
			})
		case "buffer-size":
			r.next()
			r.mapping("buffer-size ", numberOrAll, func(k int, v string) bool {
				n, ok := number(v)
				if !ok || !r.inRange("BUFFER", k, 7, "INTEGER", 0, 1) {
					return false
				}
				assign(&sizes, k, n)
				return true
			})
		default:
			r.unknown("buffer set dev STRING ...")
		}
	}
	r.write(func(c *nic) error { return c.setBuffers(prioBuf, sizes) })
	return 0
}

// size spells a number of bytes as iproute2 does.
func size(n int) string {
	kib := (n + 512) / 1024
	if n >= 1024 && max(kib*1024-n, n-kib*1024) < 16 {
		return fmt.Sprintf("%dKb", kib)
	}
	return fmt.Sprintf("%db", n)
}
