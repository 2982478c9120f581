package deploy

// Others leaves hosts to those who write them: what such a host lacks is no change of ours, and one that could not be read is nobody's
// trouble but where PFC would begin opposite it ([Plan.Unread]). Those that hold what they should are the same as any other.
func (p *Plan) Others() {
	for _, d := range p.Devices {
		if !d.byOthers() || d.Status == StatusSame {
			continue
		}
		d.Waits = "written by others"
		if d.Err != nil {
			d.Waits += ", and not read: " + OneLine(d.Err.Detail)
		}
		d.Status, d.Drift, d.New, d.Removing = StatusOthers, d.Changes, d.Old, false
		d.Err, d.Changes, d.Effects, d.Disrupts, d.Found, d.Diags = nil, nil, nil, nil, nil, nil
	}
}

func (d *DevicePlan) byOthers() bool { return d.Device.Source != nil && d.Device.Source.ByOthers }

// Shown are the changes to show of a device: its own, or those that others are to make.
func (d *DevicePlan) Shown() []*Change {
	if d.Status == StatusOthers {
		return d.Drift
	}
	return d.Changes
}
