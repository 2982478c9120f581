# background: tor

# For TCP: ECN of a group no intent uses is nobody's business.
cos_group "dctcp" {
  cos  = 1
  dscp = ["cs1"]
  ecn {}
}
