#include "hwtune/Codegen/Compile.h"
#include <cstdio>
#include <fstream>
#include <sstream>
static std::string slurp(const char*p){std::ifstream f(p);std::stringstream s;s<<f.rdbuf();return s.str();}
int main(int argc,char**argv){
  using namespace hwtune;
  TargetSpec t; t.id="x"; t.vendor="nvidia"; t.arch=argv[3];
  auto ctx=createCompilerContext();
  auto m=parseModule(*ctx,slurp(argv[1]),argv[1]);
  if(!m){fprintf(stderr,"%s\n",m.error().str().c_str());return 1;}
  CompileOptions o; if(argc>5) o.ptxas=argv[5]; for(int i=6;i<argc;++i){std::vector<int64_t> v;std::stringstream ss(argv[i]);std::string x;while(std::getline(ss,x,'x'))v.push_back(std::stoll(x));o.shapes.push_back(v);}
  if(std::string(argv[4])=="-"){ auto s=applySchedule(**m,slurp(argv[2])); (*m)->print(llvm::outs()); if(!s)fprintf(stderr,"%s\n",s.error().str().c_str()); return 0;}
  auto k=compileScript(**m,slurp(argv[2]),t,o);
  if(!k){fprintf(stderr,"%s\n",k.error().str().c_str());return 1;}
  std::ofstream(argv[4])<<k->ptx;
  printf("entry %s grid %ld %ld %ld block %ld args",k->kernel.entry.c_str(),k->kernel.grid[0],k->kernel.grid[1],k->kernel.grid[2],k->kernel.block[0]);
  for(auto&a:k->kernel.args){ if(a.kind==ArgDesc::Kind::Buffer)printf(" b%u",a.buffer); else printf(" %g",a.scalar);}
  printf("\nregs %ld spill %ld smem %ld (%s)\n",k->registers,k->spillBytes,k->sharedBytes,k->registerBasis.c_str());
  for(auto&[a,b]:k->stats.opcodes)printf("%6ld %s\n",b,a.c_str());
}
