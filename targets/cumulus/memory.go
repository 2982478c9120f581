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
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// A separate file, datapath.conf, divides the chip's memory; switchd reads it when it starts. rocec assumes values that no file states,
// and marks them as assumed. plan and verify read the file on a switch ([memoryWatches]).

// memoryPaths returns the possible paths of the file, by the family of the chip. The first existing file counts.
func memoryPaths(a *platform.ASIC) []string {
	if a.Vendor == platform.Mellanox {
		return steps.MemoryOfMellanox
	}
	return steps.MemoryOfBroadcom
}

// memoryWritable returns why rocec does not write the memory file of a chip in a release, as part of a sentence. Empty: rocec writes it,
// if the file on the switch shows that switchd accepts the keys.
func memoryWritable(a *platform.ASIC, version string) (why string) {
	r, ok := grammar.ParseRelease(version)
	switch {
	case a.Vendor != platform.Mellanox:
		return "the file of Broadcom's chips has no pool for lossless traffic"
	case !ok || !r.AtLeast(3, 7):
		return "no manual before 3.7 documents the keys of such a pool"
	case split(r):
		return "releases from 4.4 on have another file, " + infraName + ", in which rocec always writes a pool for lossless traffic"
	}
	return ""
}

// memory models how Cumulus Linux divides the memory of a chip. On Spectrum, lossless packets first use up the share of their ingress
// buffer in a pool; later packets use the headroom, and xoff counts the bytes there. The vendor's preset has the values that Onyx uses for
// lossless traffic, under other names (reserved 67,538, xoff 18,432, alpha 2). The files of Broadcom's chips have limits in cells and no
// quota for lossless traffic. So xoff is most likely the upper bound of a port there; no published source confirms it.
func memory(a *platform.ASIC, version string, written bool) ir.MemoryModel {
	spectrum := a.Vendor == platform.Mellanox
	m := ir.MemoryModel{
		Percent: poolPercent, PercentFrom: "assumed until the switch is read: the vendor's presets give lossless traffic half of the memory",
		Alpha: ir.Alpha{Num: 1, Den: 1}, AlphaFrom: "assumed until the switch is read: the default of 4.4 (the preset of 3.7 has 2)",
		XoffFrom: "as on Onyx, since the vendor's preset has the values of Onyx",
	}
	switch {
	case written && memoryWritable(a, version) != "":
		return ir.MemoryModel{}
	case !spectrum:
		m.Absolute = true
		// In the shipped file of 3.x, service has pool 2 for itself, with 2 percent of the memory, and a shared_percent of 4 ([broadcomGroup]).
		m.Pool = true
		m.AlphaFrom = "assumed, in case xoff counts beyond a share: the file of such chips states no share for lossless traffic"
		m.PercentFrom = "assumed, in case xoff counts beyond a share: the release gives the priority group of RoCE 2 % and a shared_percent " +
			"of 4, and no manual states their sizes"
		m.XoffFrom = "assumed: the manuals do not state where such a chip begins to count xoff"
	case isSplit(version):
		m.Pool = true
		m.PercentFrom, m.AlphaFrom = "rocec writes it, since the manuals of 4.4 and later require it before "+
			"PFC", "rocec writes it, as the manuals"
	case written:
		quota, _ := grammar.ReadQuota(strconv.Itoa(presetQuota))
		m.Pool, m.Alpha = true, ir.Alpha(quota)
		m.PercentFrom, m.AlphaFrom = "rocec writes it, as the vendor's preset", "rocec writes it, as the vendor's preset"
	}
	return m
}

// memoryRead contains what a datapath.conf states about the memory of a Spectrum.
type memoryRead struct {
	pool    int      // the pool of lossless traffic
	lossy   []string // the priority groups that use this pool, too
	in, out share
	static  bool // the ingress pool has fixed quotas
	quota   *grammar.Quota
	egress  *grammar.Quota
	ingress float64 // the sum of all ingress pools in percent
}

// own reports whether no other traffic uses the pool of lossless traffic.
func (r *memoryRead) own() bool { return len(r.lossy) == 0 }

// share is a percentage, which a file may or may not state.
type share struct {
	percent float64
	stated  bool
}

// shareOf returns the percentage that a key states.
func shareOf(have grammar.Values, f grammar.Feature, m grammar.Meaning, n int, group string) share {
	v, ok := have.Get(f, m, n, group)
	text, _ := grammar.Unquote(v)
	p, isPercent := grammar.Percentage(text)
	return share{p, ok && isPercent}
}

// ingressPools returns the sum of all ingress pools, in percent of the memory.
func ingressPools(have grammar.Values) float64 {
	sum := 0.0
	for pool := range 8 {
		sum += shareOf(have, grammar.IngressPool, grammar.PoolShare, pool, "").percent
	}
	return math.Round(sum*1e6) / 1e6 // 33.3 + 33.3 + 33.4 is 100
}

// noMemory returns a sentence about why content is not a file of these dialects, datapath.conf or qos_infra.conf. It is empty if content
// seems to be such a file.
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
			return nil, fmt.Sprintf("Line %d sets %s to %q, which the key does not accept.", i+1, l.Key, diag.Escape(diag.Cut(l.Value)))
		}
	}
	if known == 0 {
		return nil, "It has no key of such a file, not even in a comment."
	}
	return lines, ""
}

// memoryOf reads the lines of a Spectrum's file, in which every key has a valid value ([noMemory]).
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

// model returns the memory model of a switch whose file was read. It contains assumed values where the file states none.
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

// editMemory returns the wanted content of a switch's datapath.conf. rocec never writes this file from nothing: the other settings of the
// release are not published.
func editMemory(old []byte, want []section) (out []byte, why string) {
	if len(old) == 0 {
		return nil, "The file is missing at all its paths, or empty; rocec only edits the file that the release installs. Check that the " +
			"package of switchd is complete (dpkg -V)."
	}
	lines, why := noMemory(old, grammar.Datapath)
	if why != "" {
		return nil, why
	}
	if !slices.ContainsFunc(lines, showsPools) {
		return nil, "It shows no mode of a pool and no quota, not even in a comment, so it is unknown whether switchd of this release " +
			"accepts these keys."
	}
	out, err := place(lines, want, func(string) bool { return false }, sameNumber)
	if err != nil {
		return nil, sentence(err)
	}
	return out, ""
}

// showsPools reports whether a line shows that the release has dynamic pools: by the mode of a pool, or by a quota.
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

// sameNumber reports whether two values are the same number in any spelling, such as 50 and 50.0.
func sameNumber(a, b string) bool {
	a, _ = grammar.Unquote(a)
	m, errA := strconv.ParseFloat(a, 64)
	n, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && m == n
}

// sentence returns the text of an error as a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// memoryEdited returns the edit of the memory file.
func memoryEdited(d *ir.Device) target.File {
	paths, want := memoryPaths(d.Switch.Model.ASIC), memorySettings(d)
	wanted := map[string][]ir.Origin{}
	sketch := []byte("# The lines that rocec sets in the " + steps.MemoryFile + " of the switch; all other lines stay. Do not copy this " +
		"file to a switch.\n\n")
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
			topicMemoryUnread.Errorf(&ds, d.Switch.MemoryAt, `The switch block says memory = "written", but the %s of %s cannot be edited. %s`,
				steps.MemoryFile, d.Name, why)
			return nil, ds
		},
		Keys: func(content []byte) []target.Key { return keysOf(content, wanted) },
		Why:  func(key string) []ir.Origin { return wanted[key] },
	}
}

// keysOf lists the active settings of a file. The wanted keys are rocec's.
func keysOf(content []byte, wanted map[string][]ir.Origin) []target.Key {
	var out []target.Key
	lines, _ := grammar.Parse(content) // readable lines are listed even if the file cannot be edited
	for i := range lines {
		if l := &lines[i]; l.Active() {
			_, ours := wanted[l.Key]
			out = append(out, target.Key{Name: l.Key, Value: l.Value, Ours: ours})
		}
	}
	return out
}

// checkMemory checks whether rocec can write the memory file that the switch block asks for, and whether the resulting pool is large
// enough.
func checkMemory(ds *diag.List, d *ir.Device) {
	sw := d.Switch
	if isSplit(sw.Version) && losslessSwitch(d) {
		checkSplit(ds, d, d.Memory())
	}
	if !sw.MemoryWritten {
		return
	}
	if why := memoryWritable(sw.Model.ASIC, sw.Version); why != "" {
		topicMemoryWritten.Errorf(ds, sw.MemoryAt, "The switches of %s have the chip %s and run Cumulus Linux %s, where rocec does not write "+
			"the division of the memory: %s. Remove the memory attribute.", block(d), sw.Model.ASIC.Title, sw.Version, why).
			Note(sw.ModelAt, "%s has the chip %s", sw.Model.Title, sw.Model.ASIC.Title)
		return
	}
	if m := d.Memory(); m.Fits() && m.MarkPool() < m.Least {
		topicMemoryWritten.Errorf(ds, sw.MemoryAt, "The lossless buffers of %s leave a pool of %s, half of the rest. That is less than two "+
			"frames for each of them (%s): ports would pause all the time. Remove the memory attribute, or let ports reserve "+
			"less.", block(d), diag.Bytes(m.MarkPool()), diag.Bytes(m.Least))
	}
}

// checkSplit checks whether half of the memory is enough for lossless traffic, from 4.4 on.
func checkSplit(ds *diag.List, d *ir.Device, m ir.Memory) {
	if half := m.Chip * poolPercent / 100; m.Fits() && m.Lossless > half { // validate reports buffers that do not fit
		topicMemorySmall.Warnf(ds, diag.FirstPlace(d.At, d.Decl), "The lossless buffers of %s reserve %s, and the pool for lossless traffic "+
			"in %s is half of the packet buffer, %s. The manuals do not state whether the buffers are part of the pool; if they are, the last "+
			"ports get no buffer. Let ports reserve less.",
			block(d), diag.Bytes(m.Lossless), infraName, diag.Bytes(half))
	}
}
