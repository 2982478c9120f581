package ir

import "maps"

// Over returns base, overwritten by the known values of s: the settings of a device with settings base after s is written to it. Ports with
// equal settings in both keep equal settings. Nil: the base is unknown.
func (s *Settings) Over(base *Settings) *Settings {
	if s == nil || base == nil || s == base {
		return base
	}
	seen, alike := map[[2]*PortSettings]*PortSettings{}, map[PortSettings]*PortSettings{}
	port := func(p, base *PortSettings) *PortSettings {
		of := [2]*PortSettings{p, base}
		if seen[of] == nil {
			one := p.over(base)
			if alike[one] == nil {
				alike[one] = &one
			}
			seen[of] = alike[one]
		}
		return seen[of]
	}
	out := *base
	out.Ports = map[string]*PortSettings{}
	for _, names := range []map[string]*PortSettings{s.Ports, base.Ports} {
		for name := range names {
			if a, b := s.Port(name), base.Port(name); a != nil || b != nil {
				out.Ports[name] = port(a, b)
			}
		}
	}
	if s.Rest != nil || base.Rest != nil {
		out.Rest = port(s.Rest, base.Rest)
	}
	if len(s.Pools) > 0 {
		out.Pools = maps.Clone(base.Pools)
		if out.Pools == nil {
			out.Pools = map[string]Pool{}
		}
		for name, p := range s.Pools {
			out.Pools[name] = p.over(out.Pools[name])
		}
	}
	return &out
}

// over returns a setting if it is known, else the setting below it.
func (s Setting[T]) over(base Setting[T]) Setting[T] {
	if s.Known() {
		return s
	}
	return base
}

// numberOver returns a number if it is known, else the number below it; -1 means unknown.
func numberOver(n, base int8) int8 {
	if n >= 0 {
		return n
	}
	return base
}

func (p *PortSettings) over(base *PortSettings) PortSettings {
	switch {
	case base == nil:
		return *p
	case p == nil:
		return *base
	}
	out := *base
	if p.TrustKnown {
		out.Trust, out.TrustKnown = p.Trust, true
	}
	for v, cos := range p.DSCP {
		out.DSCP[v] = numberOver(cos, base.DSCP[v])
	}
	for v, cos := range p.PCP {
		out.PCP[v] = numberOver(cos, base.PCP[v])
	}
	if p.PausesKnown {
		out.PausesKnown, out.Sends, out.Obeys, out.LinkPause = true, p.Sends, p.Obeys, p.LinkPause
	}
	if p.Headroom > 0 {
		out.Headroom = p.Headroom
	}
	of := p.Detail.Get()
	for _, q := range of.Queues {
		if q.ECN.Known() || p.Marks != 0 {
			out.Marks, out.Marking = p.Marks, p.Marking
		}
	}
	for cos := range 8 {
		if p.Strict>>cos&1 == 1 || p.Share[cos] > 0 {
			out.Strict, out.Share[cos] = out.Strict&^bit(true, cos)|p.Strict&bit(true, cos), p.Share[cos]
		}
	}
	if p.Stamps != 0 {
		out.Stamps = p.Stamps
	}
	out.Detail = NewDetail(of.over(base.Detail.Get()))
	return out
}

func (d *PortDetail) over(base PortDetail) PortDetail {
	out := PortDetail{
		DefaultCos: d.DefaultCos.over(base.DefaultCos), Shaper: d.Shaper.over(base.Shaper),
		RewriteDSCP: d.RewriteDSCP.over(base.RewriteDSCP), RewritePCP: d.RewritePCP.over(base.RewritePCP),
		AsymmetricPFC: d.AsymmetricPFC.over(base.AsymmetricPFC), Speed: d.Speed.over(base.Speed), Cable: d.Cable.over(base.Cable),
		MTU: d.MTU.over(base.MTU), PFC: d.PFC.over(base.PFC), VLANMap: d.VLANMap.over(base.VLANMap),
		Watchdog: WatchdogSettings{
			Action: d.Watchdog.Action.over(base.Watchdog.Action), Watches: d.Watchdog.Watches.over(base.Watchdog.Watches),
			Poll: d.Watchdog.Poll.over(base.Watchdog.Poll), Detect: d.Watchdog.Detect.over(base.Watchdog.Detect),
			Restore: d.Watchdog.Restore.over(base.Watchdog.Restore),
		},
	}
	for i := range 8 {
		out.Queue[i], out.Group[i] = numberOver(d.Queue[i], base.Queue[i]), numberOver(d.Group[i], base.Group[i])
		out.Groups[i] = d.Groups[i].over(base.Groups[i])
		out.Queues[i] = d.Queues[i].over(base.Queues[i])
	}
	return out
}

func (g GroupSettings) over(base GroupSettings) GroupSettings {
	return GroupSettings{
		Buffer: g.Buffer.over(base.Buffer), Xoff: g.Xoff.over(base.Xoff), Xon: g.Xon.over(base.Xon),
		XonOffset: g.XonOffset.over(base.XonOffset), Headroom: g.Headroom.over(base.Headroom), Limit: g.Limit.over(base.Limit),
		Pool: g.Pool.over(base.Pool), Lossless: g.Lossless.over(base.Lossless),
	}
}

func (q QueueSettings) over(base QueueSettings) QueueSettings {
	return QueueSettings{
		Strict: q.Strict.over(base.Strict), Share: q.Share.over(base.Share), MinRate: q.MinRate.over(base.MinRate),
		MaxRate: q.MaxRate.over(base.MaxRate), ECN: q.ECN.over(base.ECN), MarkMin: q.MarkMin.over(base.MarkMin),
		MarkMax: q.MarkMax.over(base.MarkMax), Probability: q.Probability.over(base.Probability),
		Unmarkable: q.Unmarkable.over(base.Unmarkable), Drop: q.Drop.over(base.Drop), DropMin: q.DropMin.over(base.DropMin),
		DropMax: q.DropMax.over(base.DropMax), Limit: q.Limit.over(base.Limit), Pool: q.Pool.over(base.Pool),
	}
}

func (p Pool) over(base Pool) Pool {
	return Pool{
		Ingress: p.Ingress || base.Ingress, Egress: p.Egress || base.Egress, Size: p.Size.over(base.Size),
		Percent: p.Percent.over(base.Percent), Mode: p.Mode.over(base.Mode), Shared: p.Shared.over(base.Shared),
		Infinite: p.Infinite.over(base.Infinite),
	}
}
