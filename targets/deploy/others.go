package deploy

// Others leaves devices to those who write them: their differences are not changes of this plan. A device that could not be read matters
// only where PFC would begin opposite it ([Plan.Unread]). Devices that are up to date keep their status.
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

// ByOthers reports whether others write the device, by the fabric.
func (d *DevicePlan) ByOthers() bool { return d.Device.Source != nil && d.Device.Source.ByOthers }

// Shown are the changes to show of a device: its own, or those that others are to make.
func (d *DevicePlan) Shown() []*Change {
	if d.Status == StatusOthers {
		return d.Drift
	}
	return d.Changes
}
