package sim

import (
	"fmt"
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

// appKind is a table of the app object.
type appKind struct {
	word     string
	selector int
	zero     bool // the protocol is 0: the entry is for all other packets
}

// appKinds are the tables of the app object, in the order of the output.
var appKinds = []appKind{
	{word: "ethtype-prio", selector: SelEther},
	{word: "default-prio", selector: SelEther, zero: true},
	{word: "dscp-prio", selector: SelDSCP},
	{word: "stream-port-prio", selector: SelStream},
	{word: "dgram-port-prio", selector: SelDgram},
	{word: "port-prio", selector: SelAny},
}

// ofKind returns the entries of one table.
func ofKind(apps []App, kind int) []App {
	k := appKinds[kind]
	return slices.DeleteFunc(slices.Clone(apps), func(a App) bool {
		return a.Selector != k.selector || k.selector == SelEther && (a.Protocol == 0) != k.zero
	})
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
	do := (*Port).AddApp
	if verb == "del" {
		do = (*Port).DelApp
	}
	r.write(func(c *Port) error { return each(c, apps, do) })
	return 0
}

// each applies entries in order, until one is refused.
func each(c *Port, apps []App, do func(*Port, App) error) error {
	for _, a := range apps {
		if err := do(c, a); err != nil {
			return err
		}
	}
	return nil
}

func (r *dcbRun) appShow() int {
	c := r.port("read")
	if len(r.args) > 0 {
		for ; len(r.args) > 0; r.args = r.args[1:] {
			k := slices.IndexFunc(appKinds, func(kind appKind) bool { return short(r.args[0], kind.word) })
			if k < 0 {
				r.unknown("app show dev STRING ...")
			}
			r.appTable(c, k)
		}
		return r.flush()
	}
	for k := range appKinds {
		r.appTable(c, k)
	}
	return r.flush()
}

// appTable prints one table.
func (r *dcbRun) appTable(c *Port, kind int) {
	word, apps := appKinds[kind].word, ofKind(c.Apps, kind)
	if len(apps) == 0 {
		return
	}
	text, json := word+" ", []string{}
	for _, a := range apps {
		switch word {
		case "default-prio":
			text += fmt.Sprintf("%d ", a.Priority)
			json = append(json, strconv.Itoa(a.Priority))
			continue
		case "ethtype-prio":
			text += fmt.Sprintf("%x:%d ", a.Protocol, a.Priority)
		case "dscp-prio":
			key := dscpNames[a.Protocol]
			if key == "" || r.numeric {
				key = strconv.Itoa(a.Protocol)
			}
			text += fmt.Sprintf("%s:%d ", key, a.Priority)
		default:
			text += fmt.Sprintf("%d:%d ", a.Protocol, a.Priority)
		}
		json = append(json, fmt.Sprintf("[%d,%d]", a.Protocol, a.Priority))
	}
	r.put(text+"\n", strings.ReplaceAll(word, "-", "_"), "["+strings.Join(json, ",")+"]")
}

func (r *dcbRun) appFlush() int {
	c := r.port("read")
	if len(r.args) == 0 {
		if apps := slices.Clone(c.Apps); len(apps) > 0 {
			r.write(func(c *Port) error { return each(c, apps, (*Port).DelApp) })
		}
		return 0
	}
	for ; len(r.args) > 0; r.args = r.args[1:] {
		k := slices.IndexFunc(appKinds, func(kind appKind) bool { return short(r.args[0], kind.word) })
		if k < 0 {
			r.unknown("app flush dev STRING ...")
		}
		if apps := ofKind(c.Apps, k); len(apps) > 0 {
			r.write(func(c *Port) error { return each(c, apps, (*Port).DelApp) })
		}
	}
	return 0
}

// appReplace adds entries, then removes the former entries with another priority. The driver mlx5 has already removed these, so the
// second half fails; the status is always 0.
func (r *dcbRun) appReplace() (status int) {
	c := r.port("read")
	before := slices.Clone(c.Apps)
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
	fresh := slices.DeleteFunc(slices.Clone(apps), func(a App) bool { return slices.Contains(before, a) })
	step := func(apps []App, do func(*Port, App) error, complaint string) {
		if len(apps) == 0 {
			return
		}
		if err := r.tryWrite(func(c *Port) error { return each(c, apps, do) }); err != nil {
			r.fail(1, "Attribute write: %v\n%s", err, complaint)
		}
	}
	step(fresh, (*Port).AddApp, "Could not add new APP entries")
	var replaced []App
	for _, old := range before {
		present := slices.ContainsFunc(apps, func(a App) bool { return a.Selector == old.Selector && a.Protocol == old.Protocol })
		if present && !slices.Contains(apps, old) {
			replaced = append(replaced, old)
		}
	}
	step(replaced, (*Port).DelApp, "Could not remove replaced APP entries")
	return 0
}

// appParse reads the tables of add, del and replace.
func (r *dcbRun) appParse(help string) (apps []App, helped bool) {
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
				apps = append(apps, App{SelEther, 0, n})
			}
			continue
		}
		r.next()
		what, top, key := "PORT", 0xffff, number
		selector := map[string]int{
			"ethtype-prio": SelEther, "dscp-prio": SelDSCP, "stream-port-prio": SelStream, "dgram-port-prio": SelDgram,
			"port-prio": SelAny,
		}[word]
		switch word {
		case "ethtype-prio":
			what = "ETHTYPE"
		case "dscp-prio":
			what, top, key = "DSCP", 63, dscpKey
		}
		r.mapping("", key, func(k int, v string) bool {
			switch {
			case selector == SelEther && k < 0x600:
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
				apps = append(apps, App{selector, first, n})
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
	{DCBXHost, "host", "host"},
	{DCBXLLD, "lld-managed", "lld_managed"},
	{DCBXCEE, "cee", "cee"},
	{DCBXIEEE, "ieee", "ieee"},
	{DCBXStatic, "static", "static"},
}

func (r *dcbRun) dcbxObject(verb string) int {
	if verb == "show" {
		c := r.port("read")
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
	r.write(func(c *Port) error {
		ok, err := c.SetDCBX(mode)
		if err == nil && !ok {
			err = target.Errno("Unknown error -1")
		}
		return err
	})
	return 0
}

// buffer follows the source of iproute2 6.1, and was not compared with a real NIC.
func (r *dcbRun) buffer(verb string) int {
	c := r.port("read")
	if c.Driver.SetBuffers == nil {
		r.fail(1, "Attribute not found: Success")
	}
	if total := c.Driver.Buffer; verb == "show" {
		return r.show("buffer show dev STRING ...", []dcbRow{
			{name: "prio-buffer", print: func() { numbers(r, "prio-buffer", c.PrioBuf) }},
			{name: "buffer-size", print: func() { array(r, "buffer-size", c.BufSize, size, strconv.Itoa) }},
			{name: "total-size", print: func() { r.put("total-size "+size(total)+" ", "total_size", strconv.Itoa(total)) }},
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
	r.write(func(c *Port) error { return c.SetBuffers(prioBuf, sizes) })
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
