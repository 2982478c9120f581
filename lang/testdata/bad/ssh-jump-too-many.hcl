fabric "f" {}
ssh { jump = "a,b,c,d,e,f,g,h,i" }  # want bad-value at "\"a,b,c,d,e,f,g,h,i\"": "more than 8 jump hosts"
