package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// This file simulates dcb of iproute2 6.1: the objects pfc, ets, app, buffer and dcbx, with its output, messages and statuses. A test
// compares it with the real program, except for help texts.

// dcbRun is one run of the program.
type dcbRun struct {
	s                    *NICs
	p                    *target.Proc
	json, stats, numeric bool
	args                 []string // the remaining arguments
	dev                  string
	fields               []string // the fields of the JSON object
}

// dcbError ends a run with a status, after the message was printed.
type dcbError int

func (s *NICs) dcb(p *target.Proc) (status int) {
	long := map[string]byte{"json": 'j', "statistics": 's', "Numeric": 'N', "pretty": 'p', "Version": 'V'}
	set, rest, complaint := target.Getopt(p.Args[1:], "jsNpvVfin:", long)
	if complaint != "" {
		return p.Fail(1, "%s: %s\nTry '%[1]s --help' for more information.", p.Name(), complaint)
	}
	if set['V'] != nil {
		p.Print("dcb utility, iproute2-6.1.0\n")
		return 0
	}
	r := &dcbRun{s: s, p: p, json: set['j'] != nil, stats: set['s'] != nil, numeric: set['N'] != nil, args: rest}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case dcbError:
			status = int(e)
		default:
			panic(e)
		}
		if r.json && status != 255 { // everything else is inside one JSON document
			p.Print("\n")
		}
	}()
	return r.run()
}

// fail prints a message and ends the run.
func (r *dcbRun) fail(status int, format string, args ...any) {
	fmt.Fprintf(r.p.Stderr, format+"\n", args...)
	panic(dcbError(status))
}

// short reports whether a word is a keyword, or the beginning of one.
func short(word, full string) bool { return word != "" && strings.HasPrefix(full, word) }

// next returns the word after a keyword.
func (r *dcbRun) next() string {
	if len(r.args) < 2 {
		r.fail(255, "Command line is not complete. Try option \"help\"")
	}
	r.args = r.args[1:]
	return r.args[0]
}

// pick returns the one of names that a word abbreviates.
func pick(word string, names ...string) string {
	for _, n := range names {
		if short(word, n) {
			return n
		}
	}
	return ""
}

func (r *dcbRun) run() int {
	if len(r.args) == 0 || short(r.args[0], "help") {
		r.usage("[ OPTIONS ] OBJECT { COMMAND | help }")
		return 0
	}
	object := pick(r.args[0], "app", "buffer", "dcbx", "ets", "maxrate", "pfc")
	if object == "" {
		r.fail(1, "Object \"%s\" is unknown", r.args[0])
	}
	r.args = r.args[1:]
	if len(r.args) == 0 || short(r.args[0], "help") {
		r.usage(object + " help")
		return 0
	}
	verbs := []string{"show", "set"}
	if object == "app" {
		verbs = []string{"show", "flush", "add", "del", "replace"}
	}
	verb := pick(r.args[0], verbs...)
	if verb == "" {
		r.unknown(object + " help")
	}
	if r.args = r.args[1:]; len(r.args) == 0 || short(r.args[0], "help") {
		r.usage(object + " " + verb + " dev STRING ...")
		return 0
	}
	if !short(r.args[0], "dev") {
		fmt.Fprintf(r.p.Stderr, "Expected `dev DEV', not `%s'", r.args[0])
		r.usage(object + " " + verb + " dev STRING ...")
		return 1
	}
	r.dev = r.next()
	if len(r.dev) > 15 || strings.ContainsAny(r.dev, "/ ") {
		r.fail(255, "Error: argument \"%s\" is wrong: not a valid ifname", r.dev)
	}
	r.args = r.args[1:]
	switch object {
	case "pfc":
		return r.pfc(verb)
	case "ets":
		return r.ets(verb)
	case "app":
		return r.app(verb)
	case "dcbx":
		return r.dcbxObject(verb)
	case "buffer":
		return r.buffer(verb)
	}
	r.fail(1, "Attribute read: %v", target.EOPNOTSUPP) // maxrate
	return 1
}

func (r *dcbRun) usage(what string) { fmt.Fprintf(r.p.Stderr, "Usage: dcb %s\n", what) }

// unknown reports the next word as unknown.
func (r *dcbRun) unknown(help string) {
	fmt.Fprintf(r.p.Stderr, "What is \"%s\"?\n", r.args[0])
	r.usage(help)
	panic(dcbError(1))
}

// port finds the device; doing is "read" or "write", for the message.
func (r *dcbRun) port(doing string) *Port {
	c, err := r.s.Find(r.dev)
	if err != nil {
		r.fail(1, "Attribute %s: %v", doing, err)
	}
	return c
}

// write is one request to the kernel that changes something.
func (r *dcbRun) write(do func(*Port) error) {
	if err := r.tryWrite(do); err != nil {
		r.fail(1, "Attribute write: %v", err)
	}
}

func (r *dcbRun) tryWrite(do func(*Port) error) error {
	if !r.p.Root {
		return target.EPERM
	}
	c := r.port("write")
	if err := r.s.m.Change(r.p.CommandLine()); err != nil {
		return err
	}
	return do(c)
}

// put adds to the output: a text unchanged, a value of JSON as a field.
func (r *dcbRun) put(text, key, value string) {
	if r.json {
		r.fields = append(r.fields, fmt.Sprintf("%q:%s", key, value))
		return
	}
	r.p.Print(text)
}

// limit prints a number of classes.
func (r *dcbRun) limit(name string, n int) {
	n = cmp.Or(n, 8)
	r.put(fmt.Sprintf("%s %d ", name, n), strings.ReplaceAll(name, "-", "_"), strconv.Itoa(n))
}

func (r *dcbRun) nl() {
	if !r.json {
		r.p.Print("\n")
	}
}

// flush ends the JSON object.
func (r *dcbRun) flush() int {
	if r.json {
		r.p.Print("{" + strings.Join(r.fields, ",") + "}")
	}
	return 0
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// array prints "name 0:v 1:v ... ", or the JSON of it.
func array[T any](r *dcbRun, name string, a [8]T, text, json func(T) string) {
	var t, j []string
	for i, v := range a {
		t = append(t, fmt.Sprintf("%d:%s ", i, text(v)))
		j = append(j, json(v))
	}
	r.put(name+" "+strings.Join(t, ""), strings.ReplaceAll(name, "-", "_"), "["+strings.Join(j, ",")+"]")
}

func numbers(r *dcbRun, name string, a [8]int) { array(r, name, a, strconv.Itoa, strconv.Itoa) }

func (r *dcbRun) words(name string, a [8]string) {
	array(r, name, a, func(s string) string { return s }, strconv.Quote)
}

// show prints the rows that the remaining words name, or all rows.
func (r *dcbRun) show(help string, rows []dcbRow) int {
	if len(r.args) == 0 {
		for _, row := range rows {
			if row.hidden {
				continue
			}
			row.print()
			if !row.together {
				r.nl()
			}
		}
		return r.flush()
	}
	for ; len(r.args) > 0; r.args = r.args[1:] {
		k := slices.IndexFunc(rows, func(row dcbRow) bool { return short(r.args[0], row.name) })
		if k < 0 {
			r.unknown(help)
		}
		rows[k].print()
		r.nl()
	}
	return r.flush()
}

// dcbRow is one attribute of an object.
type dcbRow struct {
	name     string
	print    func()
	together bool // the next one is on the same line
	hidden   bool // only shown on request
}

// mapping reads KEY:VALUE words from r.args. value handles one word and reports whether it is valid. what begins the message.
func (r *dcbRun) mapping(what string, key func(string) (int, bool), value func(key int, v string) bool) {
	for len(r.args) > 0 {
		k, v, ok := strings.Cut(r.args[0], ":")
		if !ok {
			return
		}
		n, good := key(k)
		if !good || !value(n, v) {
			r.fail(1, "Invalid %smapping %s", what, k)
		}
		r.args = r.args[1:]
	}
}

// all is the key that means every number.
const all = -1

func numberOrAll(s string) (int, bool) {
	if short(s, "all") {
		return all, true
	}
	return number(s)
}

func number(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 0, 32)
	return int(n), err == nil
}

// inRange checks a mapping, with the messages of dcb.
func (r *dcbRun) inRange(keyName string, key, maxKey int, valueName string, value, maxValue int) bool {
	switch {
	case key != all && key > maxKey:
		fmt.Fprintf(r.p.Stderr, "In %s:%s mapping, %s is expected to be 0..%d\n", keyName, valueName, keyName, maxKey)
	case value > maxValue:
		fmt.Fprintf(r.p.Stderr, "In %s:%s mapping, %s is expected to be 0..%d\n", keyName, valueName, valueName, maxValue)
	default:
		return true
	}
	return false
}

func assign[T any](a *[8]T, key int, v T) {
	if key != all {
		a[key] = v
		return
	}
	for i := range a {
		a[i] = v
	}
}

func (r *dcbRun) oneOf(what, s string, words ...string) bool {
	if slices.Contains(words, s) {
		return true
	}
	fmt.Fprintf(r.p.Stderr, "Error: argument of \"%s\" must be one of \"%s\", not \"%s\"\n", what, strings.Join(words, "\", \""), s)
	return false
}

func (r *dcbRun) toggle(what string) bool {
	word := r.next()
	if !r.oneOf(what, word, "off", "on") {
		panic(dcbError(1))
	}
	r.args = r.args[1:]
	return word == "on"
}

func (r *dcbRun) pfc(verb string) int {
	const help = "pfc set dev STRING ..."
	if verb == "show" {
		c := r.port("read")
		count := func(name, pattern string) func() {
			return func() {
				var a [8]int
				for i := range a {
					if pattern == "" {
						continue
					}
					a[i] = c.counter(fmt.Sprintf(pattern, i))
				}
				numbers(r, name, a)
			}
		}
		return r.show("pfc show dev STRING ...", []dcbRow{
			{name: "pfc-cap", print: func() { r.limit("pfc-cap", c.Driver.Lossless) }, together: true},
			{name: "macsec-bypass", print: func() {
				r.put("macsec-bypass off ", "macsec_bypass", "false")
			}, together: true},
			{name: "delay", print: func() { r.put(fmt.Sprintf("delay %d ", c.Delay), "delay", strconv.Itoa(c.Delay)) }},
			{name: "prio-pfc", print: func() { array(r, "prio-pfc", c.PFC, onOff, strconv.FormatBool) }},
			{name: "requests", hidden: !r.stats, print: count("requests", c.Driver.Names.TxPause)},
			{name: "indications", hidden: !r.stats, print: count("indications", c.Driver.Names.RxPause)},
		})
	}
	if len(r.args) == 0 {
		r.usage(help)
		return 0
	}
	c := r.port("read")
	mask, delay := c.PFC, c.Delay
	for len(r.args) > 0 {
		switch pick(r.args[0], "help", "prio-pfc", "macsec-bypass", "delay") {
		case "help":
			r.usage(help)
			return 0
		case "prio-pfc":
			r.next()
			r.mapping("pfc ", numberOrAll, func(k int, v string) bool {
				if !r.oneOf("PFC", v, "off", "on") || !r.inRange("PRIO", k, 7, "PFC", 0, 1) {
					return false
				}
				assign(&mask, k, v == "on")
				return true
			})
		case "macsec-bypass":
			r.toggle("macsec-bypass") // no driver here has such a setting; they ignore it
		case "delay":
			n, ok := number(r.next())
			if !ok || n > 65535 {
				r.fail(1, "Invalid delay `%s', expected an integer 0..65535", r.args[0])
			}
			delay = n
			r.args = r.args[1:]
		default:
			r.unknown(help)
		}
	}
	r.write(func(c *Port) error { return c.SetPFC(mask, delay) })
	return 0
}

func (r *dcbRun) ets(verb string) int {
	const help = "ets set dev STRING ..."
	zero := [8]int{}
	strict := [8]string{"strict", "strict", "strict", "strict", "strict", "strict", "strict", "strict"}
	if verb == "show" {
		c := r.port("read")
		return r.show("ets show dev STRING ...", []dcbRow{
			{name: "willing", print: func() { r.put("willing off ", "willing", "false") }, together: true},
			{name: "ets-cap", print: func() { r.limit("ets-cap", c.Driver.Classes) }, together: true},
			{name: "cbs", print: func() { r.put("cbs off ", "cbs", "false") }},
			{name: "tc-bw", print: func() { numbers(r, "tc-bw", c.BW) }},
			{name: "pg-bw", print: func() { numbers(r, "pg-bw", zero) }},
			{name: "tc-tsa", print: func() { r.words("tc-tsa", c.TSA) }},
			{name: "prio-tc", print: func() { numbers(r, "prio-tc", c.TCOf) }},
			{name: "reco-tc-bw", print: func() { numbers(r, "reco-tc-bw", zero) }},
			{name: "reco-tc-tsa", print: func() { r.words("reco-tc-tsa", strict) }},
			{name: "reco-prio-tc", print: func() { numbers(r, "reco-prio-tc", zero) }},
		})
	}
	if len(r.args) == 0 {
		r.usage(help)
		return 1
	}
	c := r.port("read")
	tsa, bw, tcOf := c.TSA, c.BW, c.TCOf
	pgBW, recoTSA, recoBW, recoTC := zero, strict, zero, zero
	tsaMap := func(what string, to *[8]string) {
		r.next()
		r.mapping(what+" ", numberOrAll, func(k int, v string) bool {
			if !r.oneOf("TSA", v, "strict", "cbs", "ets", "vendor") || !r.inRange("TC", k, 7, "TSA", 0, 3) {
				return false
			}
			assign(to, k, v)
			return true
		})
	}
	numberMap := func(what, key, value string, top int, to *[8]int) {
		r.next()
		r.mapping(what+" ", numberOrAll, func(k int, v string) bool {
			n, ok := number(v)
			if !ok || n > 255 || !r.inRange(key, k, 7, value, n, top) {
				return false
			}
			assign(to, k, n)
			return true
		})
	}
	for len(r.args) > 0 {
		switch word := pick(r.args[0], "help", "willing", "tc-tsa", "reco-tc-tsa", "tc-bw", "pg-bw", "reco-tc-bw", "prio-tc",
			"reco-prio-tc"); word {
		case "help":
			r.usage(help)
			return 0
		case "willing":
			r.toggle("willing")
		case "tc-tsa":
			tsaMap(word, &tsa)
		case "reco-tc-tsa":
			tsaMap(word, &recoTSA)
		case "tc-bw":
			numberMap(word, "TC", "BW", 100, &bw)
		case "pg-bw":
			numberMap(word, "TC", "BW", 100, &pgBW)
		case "reco-tc-bw":
			numberMap(word, "TC", "BW", 100, &recoBW)
		case "prio-tc":
			numberMap(word, "PRIO", "TC", 7, &tcOf)
		case "reco-prio-tc":
			numberMap(word, "PRIO", "TC", 7, &recoTC)
		default:
			r.unknown(help)
		}
	}
	r.checkShares(tsa, bw, "tc-bw")
	r.checkShares(recoTSA, recoBW, "reco-tc-bw")
	r.write(func(c *Port) error { return c.SetETS(ETS{tsa, bw, tcOf}) })
	return 0
}

// checkShares repeats dcb's own check of the whole vector, which includes the kept values of the device.
func (r *dcbRun) checkShares(tsa [8]string, bw [8]int, what string) {
	sum, want := 0, 0
	for i := range 8 {
		sum += bw[i]
		if tsa[i] == "ets" {
			want = 100
		}
	}
	if sum != 100 && (sum != 0 || want != 0) {
		r.fail(1, "Bandwidth percentages in %s sum to %d%%, expected %d%%", what, sum, want)
	}
}
