package cumulus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// watches returns the queries for values that are not in the files of rocec: other writers of traffic.conf, and how the chip's memory is
// divided.
func watches(d *ir.Device) []target.Watch {
	rel, doc, ok := documented(d.Switch.Version)
	if !ok || len(d.Fabric.CosGroups) == 0 {
		return nil
	}
	return append(memoryWatches(d), writersWatch(d, rel, doc))
}

func memoryWatches(d *ir.Device) []target.Watch {
	if !losslessSwitch(d) {
		return nil
	}
	rel, _, ok := documented(d.Switch.Version)
	if !ok || split(rel) { // the linter judges a qos_infra.conf
		return nil
	}
	var tries strings.Builder
	for _, p := range memoryPaths(d.Switch.Model.ASIC) {
		fmt.Fprintf(&tries, "if test -e %[1]s; then echo %[1]s; exec head -c %[2]d %[1]s; fi\n", p, grammar.MaxFile+1)
	}
	return []target.Watch{{
		Name:  "memory",
		Query: target.Query{Cmd: tries.String()},
		Judge: func(answer []byte, failed string) (diag.List, []target.Fact) { return judgeMemory(d, answer, failed) },
	}}
}

func losslessSwitch(d *ir.Device) bool {
	return slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return len(p.Buffers()) > 0 })
}

// judgeMemory compares the memory of a switch with the needs of the fabric. answer contains the path in its first line, then the content of
// the file. Where rocec writes the file, judgeMemory judges the edited content, which includes the lines of others. A difference in rocec's
// own lines is reported as a difference of the file. Texts name no switch, so that equal switches share one text.
func judgeMemory(d *ir.Device, answer []byte, failed string) (found diag.List, facts []target.Fact) {
	at := diag.FirstPlace(d.At, d.Decl)
	path, content, _ := bytes.Cut(answer, []byte("\n"))
	if failed != "" || len(path) == 0 {
		if d.Switch.MemoryWritten {
			return nil, nil // the edit of the file reports it
		}
		why := "the file is missing at all its paths: " + strings.Join(memoryPaths(d.Switch.Model.ASIC), ", ")
		if failed != "" {
			why = failed
		}
		topicMemoryUnread.Noticef(&found, at, "rocec did not read the division of the chip's memory: %s. It is unknown whether lossless "+
			"traffic has a pool, and whether its queues are limited. ECN is judged with the assumed values (rocec show).", why)
		return found, nil
	}
	j := &memoryJudge{device: d, at: at, path: target.Escape(string(path)), found: &found}
	if d.Switch.MemoryWritten {
		edited, why := editMemory(content, memorySettings(d))
		if why != "" {
			return nil, nil // the same
		}
		if !bytes.Equal(edited, content) {
			content, j.path = edited, j.path+" as rocec edits it"
		}
	}
	lines, why := noMemory(content, grammar.Datapath)
	if why != "" {
		topicMemoryUnread.Warnf(&found, at, "%s does not look like a datapath.conf, so the division of the chip's memory is unknown. %s "+
			"Compare it with the file of the release (dpkg -V names its package).", j.path, why)
		return found, nil
	}
	if d.Switch.Model.ASIC.Vendor == platform.Mellanox {
		facts = j.spectrum(memoryOf(lines))
	} else {
		facts = j.broadcom(grammar.ValuesOf(lines))
	}
	return found, facts
}

// memoryJudge judges the file of one switch.
type memoryJudge struct {
	device *ir.Device
	at     diag.Range
	path   string
	found  *diag.List
}

// key names a key of the file.
func memoryKey(f grammar.Feature, m grammar.Meaning, n int, group string) string {
	return grammar.Spell(f, m, n, group)
}

// spectrum judges the pools of a Spectrum: whether lossless traffic has one, whether it is large enough on ingress, and whether packets
// can be dropped on egress.
func (j *memoryJudge) spectrum(r memoryRead) []target.Fact {
	d := j.device
	in, out := memoryKey(grammar.IngressPool, grammar.PoolShare, r.pool, ""), memoryKey(grammar.EgressPool, grammar.PoolShare, r.pool, "")
	for _, s := range []struct {
		key string
		share
	}{{in, r.in}, {out, r.out}} {
		switch {
		case s.stated && s.percent > 0:
		case s.stated || r.pool > 0:
			is := "is not set"
			if s.stated {
				is = "is 0"
			}
			topicMemoryPool.Errorf(j.found, j.at, "In %s lossless traffic uses pool %d, but %s %s: switchd creates no such pool, and lossless "+
				"packets have no memory to share. Set it, or remove %s.", j.path, r.pool, s.key, is,
				memoryKey(grammar.FlowControl, grammar.LosslessPool, -1, ""))
			return nil
		}
	}
	if j.overdrawn(r.ingress) {
		return nil
	}
	j.unstated(r, in, out)
	model := r.model(d.Switch.Can.Memory, j.path)
	j.pools(r, out)
	mem := d.Memory()
	mem.Model = model
	share := float64(model.Percent)
	if r.in.stated {
		share = r.in.percent
	}
	switch quota := memoryKey(grammar.FlowControl, grammar.LosslessQuota, -1, ""); {
	case !mem.Fits():
	case mem.MarkPool() < mem.Least:
		topicMemorySmall.Errorf(j.found, j.at, "By %s lossless traffic shares %s, %g %% of the memory that the buffers of %s leave. That "+
			"is less than two frames for each of them (%s): ports pause all the time. Raise %s, or lower the buffers.",
			j.path, diag.Bytes(mem.MarkPool()), share, diag.Count(mem.Buffers, "lossless port"), diag.Bytes(mem.Least), in)
	case r.quota == nil || r.static:
	case r.quota.Num == 0:
		topicMemorySmall.Errorf(j.found, j.at, "In %s %s is 0: a lossless port has no share even of an empty pool, and pauses as soon as it "+
			"contains xoff bytes. Set it to 8 (alpha 1) or 9 (alpha 2, as in the vendor's preset).", j.path, quota)
	case mem.QueueLimit()*mem.Buffers < mem.Least:
		topicMemorySmall.Warnf(j.found, j.at, "In %s %s means alpha %s: a lossless port may use only %s of the pool of %s even if no other "+
			"port uses it. This is less than two frames, so the port pauses all the time. Set it to 8 (alpha 1) or 9 (alpha 2, as in the "+
			"vendor's preset).",
			j.path, quota, model.Alpha, diag.Bytes(mem.QueueLimit()), diag.Bytes(mem.MarkPool()))
	}
	j.marks(mem, r)
	return []target.Fact{{Name: "memory model", Value: memoryText(model, r.static) + " (" + j.path + ")"}}
}

// overdrawn reports ingress pools that are together larger than the memory.
func (j *memoryJudge) overdrawn(percent float64) bool {
	if percent <= 100 {
		return false
	}
	topicMemoryPool.Errorf(j.found, j.at, "In %s the ingress pools sum to %g %% of the memory: switchd applies only a part of the file, "+
		"or refuses it. Lower some pools.", j.path, percent)
	return true
}

// unstated reports a missing size of pool 0, the pool for all traffic. For a separate pool, [memoryJudge.spectrum] has required both
// sizes.
func (j *memoryJudge) unstated(r memoryRead, in, out string) {
	var missing []string
	for _, s := range []struct {
		key string
		share
	}{{in, r.in}, {out, r.out}} {
		if !s.stated {
			missing = append(missing, s.key)
		}
	}
	if len(missing) > 0 {
		topicMemoryUnread.Noticef(j.found, j.at, "%s does not state %s, so the size of the pool of lossless traffic is unknown. It is judged "+
			"with the assumed size (rocec show).", j.path, strings.Join(missing, " and "))
	}
}

// pools judges the other users of lossless traffic's pool, and the limits of its queues.
func (j *memoryJudge) pools(r memoryRead, out string) {
	switch crowd := j.crowded(); {
	case r.own():
	case r.pool == 0:
		topicMemoryShared.Noticef(j.found, j.at, "By %s lossless traffic shares pool 0 with all traffic: other traffic can fill the pool, "+
			"and ports then pause early.%s The vendor ships releases with one pool for all traffic%s.", j.path, crowd, j.wayOut())
	default:
		var keys []string
		for _, g := range r.lossy {
			keys = append(keys, memoryKey(grammar.PriorityGroup, grammar.GroupPool, -1, g))
		}
		topicMemoryShared.Noticef(j.found, j.at, "By %s lossless traffic uses pool %d, and so does other traffic (%s): the other traffic can "+
			"fill the pool, and ports then pause early.%s Give other traffic another pool, such as "+
			"0.", j.path, r.pool, strings.Join(keys, ", "), crowd)
	}
	switch quota := memoryKey(grammar.FlowControl, grammar.LosslessEgressQuota, -1, ""); {
	case r.egress != nil && *r.egress != grammar.Infinite:
		topicMemoryEgress.Errorf(j.found, j.at, "By %s a queue of lossless traffic may use %s times the free memory of its pool (%s), and "+
			"drops further packets, although ports upstream were not paused. The proof assumes no limit. Set it to 15 (no limit), or remove the "+
			"line.", j.path, ir.Alpha(*r.egress), quota)
	case r.out.stated && r.in.stated && r.out.percent < r.in.percent:
		topicMemoryEgress.Errorf(j.found, j.at, "By %s lossless packets may fill %g %% of the memory on ingress, but their queues only %g %% "+
			"on egress: the switch drops the excess after it accepted it. Set %s to 100.0.", j.path, r.in.percent, r.out.percent, out)
	case r.out.stated && r.out.percent < 100:
		topicMemoryEgress.Warnf(j.found, j.at, "By %s the queues of lossless traffic share %g %% of the memory. Packets from the headroom of "+
			"paused ports also count there, so the queues may become full first and drop packets; the proof assumes no limit. Set %s to 100.0, "+
			"as in the vendor's preset for a pool of lossless traffic.", j.path, r.out.percent, out)
	}
}

// wayOut returns how to give lossless traffic a separate pool.
func (j *memoryJudge) wayOut() string {
	sw := j.device.Switch
	if memoryWritable(sw.Model.ASIC, sw.Version) == "" {
		return `; memory = "written" in the switch block gives lossless traffic a pool`
	}
	return ", and before 3.7 no manual documents another configuration"
}

// marks compares the thresholds of ports with the actual pool.
func (j *memoryJudge) marks(mem ir.Memory, r memoryRead) {
	if r.static {
		topicMemoryMarks.Noticef(j.found, j.at, "In %s the pool of lossless traffic has fixed quotas (mode 0), so rocec did not judge "+
			"whether marks come before pauses there.", j.path)
		return
	}
	type late struct {
		group *ir.CosGroup
		min   int
	}
	seen := map[late]bool{}
	bound, asic := mem.MarkBound(), j.device.Switch.Model.ASIC
	for _, p := range j.device.Ports {
		for _, m := range p.Marks() {
			k := late{m.Group, asic.Threshold(m.Min.N)}
			if p.Carries(m.Group) == nil || seen[k] {
				continue
			}
			seen[k] = true
			if k.min >= bound {
				mend := "The chip supports no min below that: give the pool more memory, or lower the buffers."
				if most := asic.WholeSteps(max(bound-1, 0)); most > 0 {
					mend = "Write a min of at most " + diag.Bytes(most) + "."
				}
				topicMemoryMarks.Warnf(j.found, j.at, "Cos group %q begins to mark at %s, but with the pool that %s states (%d %%, alpha %s) a "+
					"queue of %s can already make ports pause: senders are paused before marks slow them down. %s",
					m.Group.Name, diag.Bytes(k.min), j.path, mem.Model.Percent, mem.Model.Alpha, diag.Bytes(bound), mend)
			}
		}
	}
}

// crowded returns a sentence about the number of senders from which on marks come before pauses while other traffic fills the pool. It is
// empty if two are enough.
func (j *memoryJudge) crowded() string {
	most, senders, group := 1, 0, ""
	for _, p := range j.device.Ports {
		for _, m := range p.Marks() {
			b := p.Carries(m.Group)
			if b == nil || b.Xoff.N == 0 {
				continue
			}
			if n := ir.MarksFrom(j.device.Switch.Model.ASIC.Threshold(m.Min.N), b.Xoff.N); n > most {
				most, senders, group = n, j.device.Senders(m.Group), m.Group.Name
			}
		}
	}
	if most <= 2 {
		return ""
	}
	if most > senders {
		return fmt.Sprintf(" While the pool is full, %q never marks before ports pause: marking needs %s that fill a queue at once, and the "+
			"switch has %d.",
			group, diag.Count(most, "port"), senders)
	}
	return fmt.Sprintf(" While the pool is full, marks of %q come before pauses only where %s or more fill a queue at once.", group,
		diag.Count(most, "port"))
}

// memoryText describes the division of the memory.
func memoryText(m ir.MemoryModel, static bool) string {
	pool := "shared with all traffic"
	if m.Pool {
		pool = "for lossless traffic alone"
	}
	text := fmt.Sprintf("pool of %d %%, %s", m.Percent, pool)
	if static {
		return text + "; fixed quotas"
	}
	return text + "; alpha " + m.Alpha.String()
}
