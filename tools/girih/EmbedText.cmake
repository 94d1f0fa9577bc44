# Writes OUT, a header with the files PAGES and EXAMPLES as string literals.
function(embed name path)
  file(READ ${path} text)
  set(literal "inline constexpr char ${name}[] =\n")
  # Raw literals of at most 8000 bytes; semicolons and brackets stay as they are
  # because the text never becomes a list.
  string(LENGTH "${text}" length)
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 part)
    string(APPEND literal "    R\"page(${part})page\"\n")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  if(length EQUAL 0)
    string(APPEND literal "    \"\"\n")
  endif()
  set(result "${result}${literal};\n\n" PARENT_SCOPE)
endfunction()

set(result "// Made by the build from docs/.\n\n")
embed(kErrorsText ${PAGES})
embed(kErrorExamplesText ${EXAMPLES})
file(WRITE ${OUT} "${result}")
