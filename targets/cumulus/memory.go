package cumulus

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The chip's memory is shared out by a file of its own, datapath.conf, which switchd reads when it starts. Values that no file states are
// assumed, and named so; plan and verify read those in the file on a switch ([memoryWatches]).

// memoryFile is the name of the file in each of its folders.
const memoryFile = "datapath.conf"

// memoryPaths is where a switch may have the file, by the family of its chip: the first that is there counts. Sources: manuals of 3.2 to
// 4.3, and of 2.5 to 3.1.
func memoryPaths(a *platform.ASIC) []string {
	if a.Vendor == platform.Mellanox {
		return []string{chipConfig + "/mlx/" + memoryFile, "/etc/mlx/datapath/" + memoryFile}
	}
	return []string{chipConfig + "/bcm/" + memoryFile, "/etc/bcm.d/datapath/" + memoryFile}
}

// memoryWritable returns why rocec does not write the memory of a chip in a release, as a part of a sentence. Empty: it does, where the
// file on the switch shows that it takes the keys.
func memoryWritable(a *platform.ASIC, version string) (why string) {
	r, ok := grammar.ParseRelease(version)
	switch {
	case a.Vendor != platform.Mellanox:
		return "the file of Broadcom's chips has no pool for lossless traffic"
	case !ok || !r.AtLeast(3, 7):
		return "no manual before 3.7 documents the keys of such a pool"
	case split(r):
		return "releases from 4.4 on have another file, " + infraName + ", in which it always makes a pool for lossless traffic"
	}
	return ""
}

// memory models how Cumulus Linux divides the memory of a chip. On Spectrum, lossless packets first use up the share of their ingress
// buffer in a pool; later packets are in the headroom, of which xoff counts the bytes. The vendor's preset has the values of Onyx' row for
// lossless traffic under other names (reserved 67,538, xoff 18,432, alpha 2). The files of Broadcom's chips have limits in cells and no
// quota for lossless traffic. So xoff is most likely the upper bound of a port there; no published source confirms it.
func memory(a *platform.ASIC, version string, written bool) ir.MemoryModel {
	spectrum := a.Vendor == platform.Mellanox
	m := ir.MemoryModel{
		Percent: poolPercent, PercentFrom: "assumed until the switch is read: the vendor's presets give lossless traffic half of the memory",
		Alpha: ir.Alpha{Num: 1, Den: 1}, AlphaFrom: "assumed until the switch is read: the default of 4.4; the preset of 3.7 has 2",
		XoffFrom: "as on Onyx, whose values the vendor's preset has",
	}
	switch {
	case written && memoryWritable(a, version) != "":
		return ir.MemoryModel{}
	case !spectrum:
		m.Absolute = true
		// As 3.x comes, service has pool 2 for itself, with 2 percent of the memory, and a shared_percent of 4 ([broadcomGroup]).
		m.Pool = true
		m.AlphaFrom = "assumed, should xoff count beyond a share: the file of such chips states none for lossless traffic"
		m.PercentFrom = "assumed, should xoff count beyond a share: the release gives the priority group of RoCE 2 %, a shared_percent of 4, " +
			"and no manual gives their sizes"
		m.XoffFrom = "assumed: the manuals do not state from where such a chip counts it"
	case isSplit(version):
		m.Pool = true
		m.PercentFrom, m.AlphaFrom = "rocec writes it, as the manuals of 4.4 and later want before PFC", "rocec writes it, as the manuals"
	case written:
		quota, _ := grammar.ReadQuota(strconv.Itoa(presetQuota))
		m.Pool, m.Alpha = true, ir.Alpha(quota)
		m.PercentFrom, m.AlphaFrom = "rocec writes it, as the vendor's preset", "rocec writes it, as the vendor's preset"
	}
	return m
}

// memoryRead is the memory of a Spectrum, as far as its datapath.conf states it.
type memoryRead struct {
	pool    int      // that lossless traffic uses
	lossy   []string // the priority groups that use it too
	in, out share
	static  bool // its ingress pool has fixed quotas
	quota   *grammar.Quota
	egress  *grammar.Quota
	ingress float64 // percent of all ingress pools together
}

// own reports whether lossless traffic has its pool for itself.
func (r *memoryRead) own() bool { return len(r.lossy) == 0 }

// share is a percentage that may not be stated.
type share struct {
	percent float64
	stated  bool
}

// shareOf returns a percentage of a file.
func shareOf(have grammar.Values, f grammar.Feature, m grammar.Meaning, n int, group string) share {
	v, ok := have.Get(f, m, n, group)
	text, _ := grammar.Unquote(v)
	p, isPercent := grammar.Percentage(text)
	return share{p, ok && isPercent}
}

// ingressPools is what all pools on the way in take together, in percent of the memory.
func ingressPools(have grammar.Values) float64 {
	sum := 0.0
	for pool := range 8 {
		sum += shareOf(have, grammar.IngressPool, grammar.PoolShare, pool, "").percent
	}
	return math.Round(sum*1e6) / 1e6 // 33.3 + 33.3 + 33.4 is 100
}

// noMemory returns why content is not the file of these dialects, datapath.conf or qos_infra.conf, as a sentence. Empty: it is one, as far
// as it can be read.
func noMemory(content []byte, in grammar.Dialects) ([]grammar.Line, string) {
	lines, err := grammar.Parse(content)
	if err != nil {
		return nil, sentence(err)
	}
	known := 0
	for i := range lines {
		l := &lines[i]
		if l.Key == "" {
			continue
		}
		k, _, _ := grammar.Match(strings.Split(l.Key, "."))
		if k == nil || k.Could()&in == 0 {
			continue
		}
		known++
		if !l.Active() {
			continue
		}
		if !k.Takes(l.Value, in) {
			return nil, fmt.Sprintf("Line %d sets %s to %q, which it does not take.", i+1, l.Key, diag.Escape(diag.Cut(l.Value)))
		}
	}
	if known == 0 {
		return nil, "It has no key of such a file, not even in a comment."
	}
	return lines, ""
}

// memoryOf takes the lines of a Spectrum's file apart; every value is one its key takes ([noMemory]).
func memoryOf(lines []grammar.Line) memoryRead {
	have := grammar.ValuesOf(lines)
	number := func(f grammar.Feature, m grammar.Meaning, n int, group string) (int, bool) {
		v, ok := have.Get(f, m, n, group)
		text, _ := grammar.Unquote(v)
		i, isNumber := grammar.Number(text, 7)
		return i, ok && isNumber
	}
	quota := func(m grammar.Meaning) *grammar.Quota {
		v, ok := have.Get(grammar.FlowControl, m, -1, "")
		text, _ := grammar.Unquote(v)
		q, isQuota := grammar.ReadQuota(text)
		if !ok || !isQuota {
			return nil
		}
		return &q
	}
	r := memoryRead{quota: quota(grammar.LosslessQuota), egress: quota(grammar.LosslessEgressQuota)}
	r.pool, _ = number(grammar.FlowControl, grammar.LosslessPool, -1, "")
	for _, g := range []string{control, service, bulk} {
		if of, _ := number(grammar.PriorityGroup, grammar.GroupPool, -1, g); of == r.pool {
			r.lossy = append(r.lossy, g)
		}
	}
	r.in = shareOf(have, grammar.IngressPool, grammar.PoolShare, r.pool, "")
	r.out = shareOf(have, grammar.EgressPool, grammar.PoolShare, r.pool, "")
	r.ingress = ingressPools(have)
	mode, stated := number(grammar.IngressPool, grammar.PoolMode, r.pool, "")
	r.static = stated && mode == 0
	return r
}

// model returns the memory model of a switch whose file was read; values that the file does not state stay assumed.
func (r *memoryRead) model(assumed ir.MemoryModel, path string) ir.MemoryModel {
	m := assumed
	m.Pool = r.own()
	if r.in.stated {
		m.Percent, m.PercentFrom = int(r.in.percent), "read from "+path // whole percents, rounded down
	}
	if r.quota != nil && !r.static {
		m.Alpha, m.AlphaFrom = ir.Alpha(*r.quota), "read from "+path
	}
	return m
}

// memorySettings returns the settings that rocec writes where the fabric has memory = "written".
func memorySettings(d *ir.Device) []section {
	why := []ir.Origin{{At: d.Switch.MemoryAt, Why: `memory = "written"`}}
	var sec section
	set := func(f grammar.Feature, m grammar.Meaning, n int, group, value string) {
		sec.settings = append(sec.settings, setting{grammar.Spell(f, m, n, group), value, why})
	}
	percent := func(n int) string { return strconv.Itoa(n) + ".0" }
	for _, p := range []struct {
		of         grammar.Feature
		lossy, own int
	}{{grammar.IngressPool, poolPercent, poolPercent}, {grammar.EgressPool, poolPercent, 100}} {
		set(p.of, grammar.PoolShare, lossyPool, "", percent(p.lossy))
		set(p.of, grammar.PoolMode, lossyPool, "", strconv.Itoa(dynamicOn))
		set(p.of, grammar.PoolShare, losslessPool, "", percent(p.own))
		set(p.of, grammar.PoolMode, losslessPool, "", strconv.Itoa(dynamicOn))
	}
	set(grammar.FlowControl, grammar.LosslessPool, -1, "", strconv.Itoa(losslessPool))
	set(grammar.FlowControl, grammar.LosslessQuota, -1, "", strconv.Itoa(presetQuota))
	for _, g := range []string{control, service, bulk} {
		set(grammar.PriorityGroup, grammar.GroupID, -1, g, "0")
		set(grammar.PriorityGroup, grammar.GroupPool, -1, g, strconv.Itoa(lossyPool))
		set(grammar.PriorityGroup, grammar.GroupQuota, -1, g, strconv.Itoa(lossyQuota))
		set(grammar.PriorityGroup, grammar.GroupUnicastQuota, -1, g, strconv.Itoa(lossyQuota))
		set(grammar.PriorityGroup, grammar.GroupMulticastQuota, -1, g, strconv.Itoa(multicastQuota))
	}
	return []section{sec}
}

// editMemory returns the wanted content of a switch's datapath.conf. It is never made from nothing: the other settings of the release are
// not published.
func editMemory(old []byte, want []section) (out []byte, why string) {
	if len(old) == 0 {
		return nil, "The file is missing in all its places, or empty; rocec only edits the one that the release installs. See that " +
			"the package of switchd is whole (dpkg -V)."
	}
	lines, why := noMemory(old, grammar.Datapath)
	if why != "" {
		return nil, why
	}
	if !slices.ContainsFunc(lines, showsPools) {
		return nil, "It shows no mode of a pool and no quota, not even in a comment, so whether switchd of this release takes them is not known."
	}
	out, err := place(lines, want, func(string) bool { return false }, sameNumber)
	if err != nil {
		return nil, sentence(err)
	}
	return out, ""
}

// showsPools reports whether a line shows that the release has dynamic pools: the mode of one, or a quota.
func showsPools(l grammar.Line) bool {
	if l.Key == "" {
		return false
	}
	k, _, _ := grammar.Match(strings.Split(l.Key, "."))
	if k == nil {
		return false
	}
	switch k.Means {
	case grammar.PoolMode, grammar.LosslessQuota, grammar.LosslessEgressQuota, grammar.GroupQuota, grammar.GroupUnicastQuota,
		grammar.GroupMulticastQuota:
		return k.Could()&grammar.Datapath != 0
	}
	return false
}

// sameNumber reports whether two values are one number, however it is written: 50 and 50.0.
func sameNumber(a, b string) bool {
	a, _ = grammar.Unquote(a)
	m, errA := strconv.ParseFloat(a, 64)
	n, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && m == n
}

// sentence is an error of a reader as a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// memoryEdited is the file as rocec edits it.
func memoryEdited(d *ir.Device) target.File {
	paths, want := memoryPaths(d.Switch.Model.ASIC), memorySettings(d)
	wanted := map[string][]ir.Origin{}
	sketch := []byte("# The lines that rocec sets in the " + memoryFile + " of the switch; all other lines stay. Do not copy this file to a " +
		"switch.\n\n")
	for _, s := range want[0].settings {
		wanted[s.key] = s.why
		sketch = fmt.Appendf(sketch, "%s = %s\n", s.key, s.value)
	}
	return target.File{
		Path: paths[0], Places: paths[1:], Mode: fileMode, Sketch: sketch, Activate: restart,
		Edit: func(old []byte) ([]byte, diag.List) {
			out, why := editMemory(old, want)
			if why == "" {
				return out, nil
			}
			var ds diag.List
			topicMemoryUnread.Errorf(&ds, d.Switch.MemoryAt, `The switch block says memory = "written", and the %s of %s cannot be edited. %s`,
				memoryFile, d.Name, why)
			return nil, ds
		},
		Keys: func(content []byte) []target.Key { return keysOf(content, wanted) },
		Why:  func(key string) []ir.Origin { return wanted[key] },
	}
}

// keysOf lists the active settings of a file of which rocec sets those that are wanted.
func keysOf(content []byte, wanted map[string][]ir.Origin) []target.Key {
	var out []target.Key
	lines, _ := grammar.Parse(content) // what can be read is listed, whether or not it may be edited
	for i := range lines {
		if l := &lines[i]; l.Active() {
			_, ours := wanted[l.Key]
			out = append(out, target.Key{Name: l.Key, Value: l.Value, Ours: ours})
		}
	}
	return out
}

// checkMemory judges whether rocec can write the memory as the switch block wants, and whether that is enough.
func checkMemory(ds *diag.List, d *ir.Device) {
	sw := d.Switch
	if isSplit(sw.Version) && losslessSwitch(d) {
		checkSplit(ds, d, d.Memory())
	}
	if !sw.MemoryWritten {
		return
	}
	if why := memoryWritable(sw.Model.ASIC, sw.Version); why != "" {
		topicMemoryWritten.Errorf(ds, sw.MemoryAt, "The switches of %s have the chip %s and run Cumulus Linux %s, where rocec "+
			"does not write how the memory is shared out: %s. Take memory out.", block(d), sw.Model.ASIC.Title, sw.Version, why).
			Note(sw.ModelAt, "%s has the chip %s", sw.Model.Title, sw.Model.ASIC.Title)
		return
	}
	if m := d.Memory(); m.Fits() && m.MarkPool() < m.Least {
		topicMemoryWritten.Errorf(ds, sw.MemoryAt, "The lossless buffers of %s leave a pool of %s, half of the rest. That is "+
			"less than two frames for each of them (%s): ports would pause all the time. Take memory out, or let ports reserve "+
			"less.", block(d), diag.Bytes(m.MarkPool()), diag.Bytes(m.Least))
	}
}

// checkSplit judges whether half of the memory is enough for lossless traffic, from 4.4 on.
func checkSplit(ds *diag.List, d *ir.Device, m ir.Memory) {
	if half := m.Chip * poolPercent / 100; m.Fits() && m.Lossless > half { // that it fits, validate judges
		topicMemorySmall.Warnf(ds, diag.FirstPlace(d.At, d.Decl), "The lossless buffers of %s reserve %s, and the pool that %s gives lossless "+
			"traffic is half of the packet buffer, %s. The manuals do not state whether they count in it; if they do, the last ports "+
			"get no buffer. Let ports reserve less.",
			block(d), diag.Bytes(m.Lossless), infraName, diag.Bytes(half))
	}
}
