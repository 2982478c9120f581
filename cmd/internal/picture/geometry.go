package picture

import "math"

// point is a place on the drawing, in px.
type point struct{ x, y float64 }

func (p point) plus(q point) point               { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point              { return point{p.x - q.x, p.y - q.y} }
func (p point) times(f float64) point            { return point{p.x * f, p.y * f} }
func (p point) towards(q point) point            { return q.minus(p).unit() }
func (p point) between(q point, f float64) point { return p.plus(q.minus(p).times(f)) }

func (p point) unit() point {
	if n := math.Hypot(p.x, p.y); n > 0 {
		return p.times(1 / n)
	}
	return p
}

// right returns the direction to the right of p, with y growing downwards.
func (p point) right() point { return point{-p.y, p.x} }

// curve is a quadratic Bézier curve.
type curve struct{ from, control, to point }

func (c curve) at(t float64) point {
	return c.from.between(c.control, t).between(c.control.between(c.to, t), t)
}

func (c curve) reversed() curve { return curve{c.to, c.control, c.from} }

// shifted moves the curve to the right of its direction.
func (c curve) shifted(by float64) curve {
	d := c.from.towards(c.to).right().times(by)
	return curve{c.from.plus(d), c.control.plus(d), c.to.plus(d)}
}

func (s *symbol) centre() point { return point{float64(s.x), float64(s.y)} }

// edge returns the point where the line from the centre of the symbol to p leaves it. Lines to another row leave at the upper or lower
// side, so that flat lines avoid the neighbouring symbols.
func (s *symbol) edge(p point, rows bool) point {
	c := s.centre()
	d := p.minus(c)
	if h, w := float64(s.h)/2, float64(s.w)/2; rows && math.Abs(d.y) > 1.5*h {
		x := max(min(d.x*h/math.Abs(d.y), w-5), 5-w)
		return point{c.x + x, c.y + math.Copysign(h, d.y)}
	}
	f := math.Inf(1)
	if d.x != 0 {
		f = min(f, float64(s.w)/2/math.Abs(d.x))
	}
	if d.y != 0 {
		f = min(f, float64(s.h)/2/math.Abs(d.y))
	}
	if math.IsInf(f, 1) {
		return c
	}
	return c.plus(d.times(f))
}

// curve returns the line of a bundle, from b.a to b.b.
func (b *bundle) curve() curve {
	if b.a == b.b { // links inside a folded symbol
		x, y := float64(b.a.x)+float64(b.a.w)/2, float64(b.a.y)
		return curve{point{x, y - 8}, point{x + 30, y}, point{x, y + 8}}
	}
	from, to := b.a.centre(), b.b.centre()
	side := from.towards(to).right()
	if side.y > 0 || side.y == 0 && side.x < 0 { // bow upwards, or to the right
		side = side.times(-1)
	}
	control := from.between(to, 0.5).plus(side.times(float64(b.bow)))
	rows := b.tiered && b.a.y != b.b.y
	return curve{b.a.edge(control, rows), control, b.b.edge(control, rows)}
}

// box is the area that an element covers.
type box struct{ left, top, right, bottom float64 }

func around(p point, w, h float64) box {
	return box{p.x - w/2, p.y - h/2, p.x + w/2, p.y + h/2}
}

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}
