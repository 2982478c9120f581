package deploy

import "github.com/rocec/rocec/targets/target"

// CompareFiled returns the plan of a device that was not asked, by files that state how it is set. It has no changes, since the content of
// the device is not known. It counts as a device that rocec has never written.
func CompareFiled(d *target.Device, f *Filed) *DevicePlan {
	p := &DevicePlan{Device: d, Status: StatusSame, Filed: f, Linted: f.Linted}
	if len(f.Wrong) > 0 {
		refused := p.refuse(Identity, f.Wrong[0])
		refused.Filed = f
		return refused
	}
	if p.Old, p.New = f.Is, f.Meant; !f.alike() {
		p.Status = StatusChange
	} else {
		p.watch(filesWatch, wrong(p))
	}
	p.watch(rulesWatch, diagnostics(beside(d, p.New)))
	return p
}
