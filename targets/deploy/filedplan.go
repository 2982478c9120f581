package deploy

import "github.com/rocec/rocec/targets/target"

// CompareFiled returns the plan of a device whose settings come from files and not from the device itself. The plan has no changes,
// because the content of the device is not known. The device counts as one that rocec has never written.
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
