package deploy

// Others removes from the plan the changes of devices that others write. Others sets their status to [StatusOthers] and keeps the
// differences as drift. If such a device could not be read, that matters only where PFC would begin at the other end of its cable
// ([Plan.Unread]). Devices that are up to date keep their status.
func (p *Plan) Others() {
	for _, d := range p.Devices {
		if !d.ByOthers() || d.Status == StatusSame {
			continue
		}
		d.Waits = Wait{Why: WrittenByOthers}
		switch {
		case d.Err == nil:
		case d.Err.Kind == Unmet:
			d.Waits.More = ", and not as it must be: " + OneLine(d.Err.Detail)
		default:
			d.Waits.More = ", and not read: " + OneLine(d.Err.Detail)
		}
		d.Status, d.Drift, d.New, d.Removing = StatusOthers, d.Changes, d.Old, false
		d.Err, d.Changes, d.Effects, d.Disrupts, d.Found, d.Diags = nil, nil, nil, nil, nil, nil
	}
}

// ByOthers reports whether the fabric declares that others write the device.
func (d *DevicePlan) ByOthers() bool { return d.Device.Source != nil && d.Device.Source.ByOthers }

// Shown returns the changes to show for a device: its own changes, or the changes that others have to make.
func (d *DevicePlan) Shown() []*Change {
	if d.Status == StatusOthers {
		return d.Drift
	}
	return d.Changes
}
